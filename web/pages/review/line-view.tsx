// One line of a diff. Its numbers are a button: a click on it, or drawing over several, opens a comment.
import { memo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import type { Token } from '../../ui/diff/line-segments.ts';
import { LineText } from '../../ui/diff/line-text.tsx';
import { formatCount } from '../../ui/format.ts';
import type { LineRow } from './model/diff-rows.ts';
import type { Decision } from './model/units.ts';

const LOOKS = { ' ': '', '+': 'bg-add', '-': 'bg-remove' } as const;
const EDGES = {
  accepted: 'border-good',
  rejected: 'border-bad',
  undecided: 'border-transparent',
} as const;
const NUMBER = 'w-9 shrink-0 pr-1.5 text-right tabular';

export interface LineViewProps {
  row: LineRow;
  decision: Decision | undefined;
  isSelected: boolean;
  mayComment: boolean;
  tokens: readonly Token[] | undefined;
}

/** Of a longer line only the beginning is drawn until the reader wants all of it. */
export const MOST_SHOWN = 1000;

function Numbers({ row, mayComment }: Pick<LineViewProps, 'row' | 'mayComment'>) {
  const { sign, oldLine, newLine } = row;
  const className =
    'flex shrink-0 touch-manipulation items-start text-soft select-none hover:bg-hover hover:text-text';
  const numbers = (
    <>
      <span aria-hidden className={cx(NUMBER, 'max-sm:hidden')}>
        {oldLine}
      </span>
      <span aria-hidden className={cx(NUMBER, sign === '-' && 'sm:invisible')}>
        {newLine ?? oldLine}
      </span>
    </>
  );
  if (!mayComment) return <span className={className}>{numbers}</span>;
  const side = sign === '-' ? 'old' : 'new';
  const line = sign === '-' ? oldLine : newLine;
  return (
    <button
      type="button"
      tabIndex={-1}
      data-line={line}
      data-side={side}
      data-unit-line={row.unit}
      className={className}
    >
      <span className="sr-only">
        Comment on {side === 'old' ? 'the old line' : 'line'} {line}
      </span>
      {numbers}
    </button>
  );
}

export const LineView = memo(function LineView({
  row,
  decision,
  isSelected,
  mayComment,
  tokens,
}: LineViewProps) {
  const { sign } = row;
  const [isAll, setAll] = useState(false);
  const text = isAll ? row.text : row.text.slice(0, MOST_SHOWN);
  const rest = row.text.length - text.length;
  const isRejected = decision === 'rejected' && sign === '+';
  return (
    <div
      className={cx(
        'flex border-l-3 font-mono text-xs leading-5 [font-feature-settings:"calt"_0]',
        sign === ' ' ? 'border-transparent' : EDGES[decision ?? 'undecided'],
        isSelected ? 'bg-accent-soft' : LOOKS[sign],
      )}
    >
      <Numbers row={row} mayComment={mayComment} />
      <span aria-hidden className="w-4 shrink-0 text-center select-none">
        {sign}
      </span>
      <span
        dir="ltr"
        className={cx(
          'min-w-0 flex-1 pr-2 [tab-size:4] [unicode-bidi:isolate] [overflow-wrap:anywhere] whitespace-pre-wrap',
          isRejected && 'line-through decoration-bad',
        )}
      >
        <LineText sign={sign} text={text} other={row.other} tokens={tokens} />
        {rest > 0 ? (
          <Button look="ghost" size="small" className="font-sans" onClick={() => setAll(true)}>
            Show {formatCount(rest)} more characters
          </Button>
        ) : null}
        {row.isLastWithoutBreak ? (
          <span className="ml-2 font-sans text-2xs text-soft select-none">
            no line break at the end
          </span>
        ) : null}
      </span>
    </div>
  );
});
