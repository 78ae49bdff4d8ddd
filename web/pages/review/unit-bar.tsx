// The bar above what is decided about: what it is, what was said, and the buttons.
import { memo } from 'react';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Check, X } from '../../ui/icons.tsx';
import { canSplit } from './model/units.ts';
import type { Decision, Unit } from './model/units.ts';
import { useActions, useRights } from './review-context.ts';

const WORDS = { accepted: 'Accepted', rejected: 'Rejected' } as const;
const EDGES = {
  accepted: 'border-good',
  rejected: 'border-bad',
  undecided: 'border-line-strong',
} as const;

function titleOf({ hunk, part, oldFrom, oldTo, newFrom, newTo }: Unit): string {
  if (hunk.kind === 'whole') return 'The whole file';
  if (hunk.kind === 'mode') return 'Whether it can be run as a program';
  const lines =
    newTo > newFrom
      ? newTo - newFrom === 1
        ? `Line ${newTo}`
        : `Lines ${newFrom + 1} to ${newTo}`
      : oldTo - oldFrom === 1
        ? `Old line ${oldTo}`
        : `Old lines ${oldFrom + 1} to ${oldTo}`;
  return part === undefined ? lines : `${lines}, part ${part} of ${hunk.parts!.length}`;
}

export const UnitBar = memo(function UnitBar({
  path,
  unit,
  decision,
  isCurrent,
}: {
  path: string;
  unit: Unit;
  decision: Decision | undefined;
  isCurrent: boolean;
}) {
  const actions = useActions();
  const { mayDecide } = useRights();
  const title = titleOf(unit);
  const word = decision === undefined ? 'Undecided' : WORDS[decision];
  const { hunk, part } = unit;
  return (
    <div
      role="group"
      tabIndex={0}
      data-unit={unit.id}
      aria-label={`${title} of ${path}: ${word.toLowerCase()}`}
      aria-current={isCurrent || undefined}
      onFocus={() => actions.select(path, unit.id)}
      className={cx(
        'flex min-h-9 scroll-mt-24 flex-wrap items-center gap-x-3 gap-y-1 border-y border-l-3 border-y-line bg-sunken px-2 py-1 text-xs -outline-offset-2',
        EDGES[decision ?? 'undecided'],
        isCurrent && 'bg-accent-soft',
      )}
    >
      <span className="text-soft">{title}</span>
      {decision === undefined ? null : (
        <span className={cx('font-medium', decision === 'accepted' ? 'text-good' : 'text-bad')}>
          {word}
        </span>
      )}
      {mayDecide ? (
        <span className="ml-auto flex flex-wrap gap-1">
          {canSplit(hunk) ? (
            <Button look="ghost" size="small" onClick={() => actions.toggleSplit(path, hunk)}>
              {part === undefined ? 'Split' : 'Join'}
            </Button>
          ) : null}
          <Button
            size="small"
            icon={<Check />}
            aria-pressed={decision === 'accepted'}
            className="aria-pressed:border-good aria-pressed:bg-good-soft aria-pressed:text-good"
            onClick={() => actions.decide(path, unit, 'accepted')}
          >
            Accept
          </Button>
          <Button
            size="small"
            icon={<X />}
            aria-pressed={decision === 'rejected'}
            className="aria-pressed:border-bad aria-pressed:bg-bad-soft aria-pressed:text-bad"
            onClick={() => actions.decide(path, unit, 'rejected')}
          >
            Reject
          </Button>
        </span>
      ) : null}
    </div>
  );
});
