// Going from hunk to hunk and from file to file.
import { useEffect, useRef } from 'react';
import type { ReviewDraft } from '../../../src/contract/review-api.ts';
import { isViewed } from './model/filter.ts';
import type { LineRange } from './model/comments.ts';
import type { Unit } from './model/units.ts';
import type { ReviewActions } from './review-context.ts';
import type { FileBlock } from './use-blocks.ts';
import type { Current } from './use-review-actions.ts';
import { useReviewKeys } from './use-review-keys.ts';

interface Step {
  path: string;
  unit: Unit;
}

export interface StepOptions {
  blocks: readonly FileBlock[];
  current: Current | undefined;
  draft: Pick<ReviewDraft, 'decisions' | 'viewed'>;
  actions: ReviewActions;
  lines: {
    chosen(): LineRange | undefined;
    onLines(lines: readonly HTMLElement[]): void;
  };
  mayDecide: boolean;
  setCurrent: (current: Current) => void;
  scrollTo: (path: string, row?: string) => void;
  onFinish: () => void;
}

/** Of files that are open; what is closed has been seen. */
const stepsOf = (blocks: readonly FileBlock[]): Step[] =>
  blocks.flatMap(({ id, isOpen, units }) =>
    isOpen ? units.map((unit) => ({ path: id, unit })) : [],
  );

/** The lines that the unit changes, on the side on which they are. */
function rangeOfUnit({ id: path, rows }: FileBlock, { id, hunk }: Unit): LineRange | undefined {
  const changed = rows.flatMap((row) =>
    row.kind === 'line' && row.unit === id && row.sign !== ' ' ? [row] : [],
  );
  const added = changed.filter(({ sign }) => sign === '+');
  const side = added.length > 0 ? 'new' : 'old';
  const numbers = (added.length > 0 ? added : changed).map(({ newLine, oldLine }) =>
    side === 'new' ? newLine! : oldLine!,
  );
  // Several places of one hunk: the last that belong together.
  const to = numbers.at(-1);
  if (to === undefined) return undefined;
  let from = to;
  while (numbers.includes(from - 1)) from -= 1;
  return { path, side, from, to, hunk: hunk.id };
}

export function useReviewSteps(options: StepOptions): void {
  const { blocks, current, draft, actions, lines, mayDecide, setCurrent, scrollTo } = options;
  /** Gets the focus as soon as it is drawn. */
  const wanted = useRef<string>(undefined);

  const goTo = ({ path, unit }: Step) => {
    wanted.current = unit.id;
    setCurrent({ path, unit: unit.id });
    scrollTo(path, `u${unit.id}`);
  };
  useEffect(() => {
    if (wanted.current === undefined) return;
    const bar = document.querySelector<HTMLElement>(`[data-unit="${wanted.current}"]`);
    if (bar === null) return;
    wanted.current = undefined;
    bar.focus({ preventScroll: true });
  });

  const currentBlock = () => blocks.find(({ id }) => id === current?.path);
  const currentUnit = () => currentBlock()?.units.find(({ id }) => id === current?.unit);

  function step(by: 1 | -1): void {
    const steps = stepsOf(blocks);
    const at = steps.findIndex(({ unit }) => unit.id === current?.unit);
    if (at !== -1) {
      const next = steps[at + by];
      if (next !== undefined) goTo(next);
      return;
    }
    // No hunk yet: the first of the file that was chosen, or of all.
    const inFile = steps.find(({ path }) => path === current?.path) ?? steps[0];
    if (inFile !== undefined) goTo(inFile);
  }

  function goToFile(block: FileBlock | undefined): void {
    if (block === undefined) return;
    const [unit] = block.units;
    if (block.isOpen && unit !== undefined) goTo({ path: block.id, unit });
    else {
      setCurrent({ path: block.id, unit: undefined });
      scrollTo(block.id);
    }
  }

  function stepFile(by: 1 | -1): void {
    const at = blocks.findIndex(({ id }) => id === current?.path);
    goToFile(at === -1 ? blocks[0] : blocks[at + by]);
  }

  useReviewKeys(
    {
      step,
      stepFile,
      decide(decision) {
        const unit = currentUnit();
        if (unit === undefined) return step(1);
        // A key says the same again where a button takes it back.
        if (draft.decisions[unit.id] !== decision) actions.decide(current!.path, unit, decision);
        step(1);
      },
      undecide() {
        const unit = currentUnit();
        if (unit !== undefined) actions.undecide(unit);
      },
      decideFile(decision) {
        if (current !== undefined) actions.decideFile(current.path, decision);
      },
      split() {
        const unit = currentUnit();
        if (unit !== undefined) actions.toggleSplit(current!.path, unit.hunk);
      },
      comment() {
        const [block, unit] = [currentBlock(), currentUnit()];
        if (block === undefined) return;
        const whole = { path: block.id, side: 'new', from: 0, to: 0, hunk: undefined } as const;
        actions.comment(lines.chosen() ?? (unit && rangeOfUnit(block, unit)) ?? whole);
      },
      viewed() {
        const block = currentBlock();
        if (block === undefined) return;
        actions.toggleViewed(block.id);
        const at = blocks.indexOf(block);
        const isNext = ({ id }: FileBlock) => id !== block.id && !isViewed(draft.viewed, id);
        if (!isViewed(draft.viewed, block.id)) {
          goToFile(blocks.slice(at).find(isNext) ?? blocks.find(isNext));
        }
      },
      finish: options.onFinish,
    },
    { mayDecide, onLines: lines.onLines },
  );
}
