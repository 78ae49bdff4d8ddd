import { memo, useMemo } from 'react';
import type { ReactNode } from 'react';
import { cx } from '../../../ui/class-names.ts';
import { LineText } from '../../../ui/diff/line-text.tsx';
import { useColoursOf } from '../../../ui/diff/use-colours.ts';
import { parsePatch, sideBySide, textsOf } from './parse-patch.ts';
import type { DiffLine } from './parse-patch.ts';

export type DiffLayout = 'unified' | 'split';

const LOOKS: Readonly<Record<DiffLine['kind'], string>> = {
  same: '',
  add: 'bg-add',
  remove: 'bg-remove',
  hunk: 'bg-accent-soft text-soft',
  note: 'text-faint italic',
};
const SIGNS = { same: ' ', add: '+', remove: '-' } as const;
const NUMBER = 'w-10 min-w-10 px-2 text-right text-soft select-none tabular align-top';
const TEXT = 'px-2 whitespace-pre-wrap [overflow-wrap:anywhere]';

type TextOf = (line: DiffLine) => ReactNode;

function Unified({ lines, textOf }: { lines: readonly DiffLine[]; textOf: TextOf }) {
  return lines.map((line, index) => (
    <tr key={index} className={LOOKS[line.kind]}>
      <td className={NUMBER}>{line.oldNumber}</td>
      <td className={NUMBER}>{line.newNumber}</td>
      <td className={TEXT}>{textOf(line)}</td>
    </tr>
  ));
}

function Half({
  line,
  number,
  textOf,
}: {
  line: DiffLine | undefined;
  number: number | undefined;
  textOf: TextOf;
}) {
  return (
    <>
      <td className={cx(NUMBER, line ? LOOKS[line.kind] : 'bg-sunken')}>{number}</td>
      <td className={cx(TEXT, 'w-1/2', line ? LOOKS[line.kind] : 'bg-sunken')}>
        {line ? textOf(line) : null}
      </td>
    </>
  );
}

function Split({ lines, textOf }: { lines: readonly DiffLine[]; textOf: TextOf }) {
  return sideBySide(lines).map((pair, index) =>
    'whole' in pair ? (
      <tr key={index} className={LOOKS[pair.whole.kind]}>
        <td className={NUMBER} />
        <td className={TEXT} colSpan={3}>
          {pair.whole.text}
        </td>
      </tr>
    ) : (
      <tr key={index}>
        <Half line={pair.left} number={pair.left?.oldNumber} textOf={textOf} />
        <Half line={pair.right} number={pair.right?.newNumber} textOf={textOf} />
      </tr>
    ),
  );
}

/** With the colours of the language, and the words that changed. */
export function useLineTexts(path: string, lines: readonly DiffLine[]): TextOf {
  const texts = useMemo(() => textsOf(lines), [lines]);
  const colours = useColoursOf(texts);
  return (line) => {
    const { kind, text } = line;
    if (kind === 'hunk' || kind === 'note') return text;
    const place = texts.places.get(line)!;
    const side = kind === 'remove' ? 'before' : 'after';
    const tokens = colours.tokensOf(path, texts, side, place.line);
    return (
      <>
        <span className="select-none">{SIGNS[kind]}</span>
        <LineText sign={SIGNS[kind]} text={text} other={place.other} tokens={tokens} />
      </>
    );
  };
}

/** `patch` is null when it was too large to be reported. */
export const DiffView = memo(function DiffView({
  path,
  patch,
  layout,
}: {
  path: string;
  patch: string | null;
  layout: DiffLayout;
}) {
  const lines = useMemo(() => (patch === null ? [] : parsePatch(patch)), [patch]);
  const textOf = useLineTexts(path, lines);
  if (patch === null) {
    return <p className="px-4 py-3 text-sm text-soft">This diff is too large to show.</p>;
  }
  if (lines.length === 0) {
    return <p className="px-4 py-3 text-sm text-soft">No text to compare: empty or binary.</p>;
  }
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Diff of ${path}`}>
      <table className="w-full border-collapse font-mono text-xs leading-5 [font-feature-settings:'calt'_0]">
        <tbody>
          {layout === 'split' ? (
            <Split {...{ lines, textOf }} />
          ) : (
            <Unified {...{ lines, textOf }} />
          )}
        </tbody>
      </table>
    </div>
  );
});
