// The text of a line in a diff: words that changed, and the colours of its language.
import { useMemo } from 'react';
import { cx } from '../class-names.ts';
import { HiddenMark } from '../plain-text.tsx';
import { lineSegments } from './line-segments.ts';
import type { Token } from './line-segments.ts';
import { changedWords } from './words.ts';

const CHANGED = { ' ': '', '+': 'bg-add-strong', '-': 'bg-remove-strong' } as const;

export function LineText({
  sign,
  text,
  other,
  tokens,
}: {
  sign: ' ' | '+' | '-';
  text: string;
  /** The line that goes for this one, or comes for it. */
  other: string | undefined;
  tokens: readonly Token[] | undefined;
}) {
  const segments = useMemo(() => {
    const words =
      other === undefined || sign === ' '
        ? undefined
        : sign === '-'
          ? changedWords(text, other)?.before
          : changedWords(other, text)?.after;
    return lineSegments(text, words, tokens);
  }, [sign, text, other, tokens]);
  return segments.map(({ text, isChanged, isHidden, look }, at) =>
    isHidden ? (
      <HiddenMark key={at} name={text} />
    ) : isChanged || look !== undefined ? (
      <span key={at} className={cx(isChanged && CHANGED[sign], look)}>
        {text}
      </span>
    ) : (
      text
    ),
  );
}
