// The files that are shown, each as a block of rows. A block stays the same object while nothing of it changes.
import { useRef } from 'react';
import type { ReviewDraft, ReviewFileSummary } from '../../../src/contract/review-api.ts';
import { pinnedLines, withComments } from './model/comments.ts';
import type { ReviewRow, ShownComment } from './model/comments.ts';
import { diffRows, estimateRows } from './model/diff-rows.ts';
import type { DiffRow, FileText, OpenedGap } from './model/diff-rows.ts';
import { isViewed } from './model/filter.ts';
import { unitsOf } from './model/units.ts';
import type { Decisions, Unit } from './model/units.ts';
import type { EditorTarget } from './review-context.ts';

export type BlockRow = ReviewRow | { kind: 'pending'; key: string; count: number };

export interface FileBlock {
  id: string;
  file: ReviewFileSummary;
  units: readonly Unit[];
  rows: readonly BlockRow[];
  isOpen: boolean;
  isWhole: boolean;
  comments: number;
}

/** What a reader has opened and closed; nothing of it is kept. */
export interface Unfolded {
  /** By path, where it was chosen; otherwise what is viewed is closed. */
  open: ReadonlyMap<string, boolean>;
  whole: ReadonlySet<string>;
  split: ReadonlySet<string>;
  gaps: ReadonlyMap<string, ReadonlyMap<number, OpenedGap>>;
}

interface Sources {
  files: readonly ReviewFileSummary[];
  textOf: (position: number) => FileText | undefined;
  draft: Pick<ReviewDraft, 'decisions' | 'viewed'>;
  comments: ReadonlyMap<string, Omit<ShownComment, 'isOutdated'>[]>;
  editor: EditorTarget | undefined;
  unfolded: Unfolded;
}

type SaidOf = readonly Omit<ShownComment, 'isOutdated'>[];

interface Made {
  from: readonly unknown[];
  block: FileBlock;
}

interface MadeUnits {
  decisions: Decisions;
  split: ReadonlySet<string>;
  units: readonly Unit[];
}

const NONE: SaidOf = [];
const NO_GAPS: ReadonlyMap<number, OpenedGap> = new Map();

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((value, at) => value === b[at]);

function rowsOf(
  file: ReviewFileSummary,
  about: { sources: Sources; units: readonly Unit[]; said: SaidOf; text: FileText | undefined },
): BlockRow[] {
  const { sources, units, said, text } = about;
  const { unfolded, editor } = sources;
  if (text === undefined) return [{ kind: 'pending', key: 'pending', count: estimateRows(file) }];
  const own = editor?.range.path === file.path ? editor : undefined;
  const rows: DiffRow[] = diffRows(file, text, {
    units,
    gaps: unfolded.gaps.get(file.path) ?? NO_GAPS,
    isWhole: unfolded.whole.has(file.path),
    pinned: pinnedLines(said, own?.range),
  });
  return withComments(rows, file, { text, comments: said, editor: own });
}

/** The same list while it has the same units. */
function useUnits() {
  const made = useRef(new Map<string, MadeUnits>());
  return (file: ReviewFileSummary, decisions: Decisions, split: ReadonlySet<string>) => {
    const known = made.current.get(file.path);
    if (known?.decisions === decisions && known.split === split) return known.units;
    let units: readonly Unit[] = file.hunks.flatMap((hunk) => unitsOf(hunk, decisions, split));
    const isEqual = ({ id }: Unit, at: number) => id === known?.units[at]?.id;
    if (units.length === known?.units.length && units.every(isEqual)) units = known.units;
    made.current.set(file.path, { decisions, split, units });
    return units;
  };
}

export function useBlocks(sources: Sources): readonly FileBlock[] {
  const made = useRef(new Map<string, Made>());
  const last = useRef<readonly FileBlock[]>([]);
  const unitsIn = useUnits();
  const { files, textOf, draft, comments, editor, unfolded } = sources;
  const blocks = files.map((file) => {
    const { path, position } = file;
    const said = comments.get(path) ?? NONE;
    const isOpen = unfolded.open.get(path) ?? !isViewed(draft.viewed, path);
    const isWhole = unfolded.whole.has(path);
    const units = unitsIn(file, draft.decisions, unfolded.split);
    const text = isOpen ? textOf(position) : undefined;
    const from = [
      file,
      text,
      isOpen,
      isWhole,
      unfolded.gaps.get(path),
      units,
      editor?.range.path === path ? editor.range : undefined,
      editor?.range.path === path ? editor.id : undefined,
      ...said.map(({ comment }) => comment),
    ];
    const known = made.current.get(path);
    if (known !== undefined && isSame(known.from, from)) return known.block;
    const rows = isOpen ? rowsOf(file, { sources, units, said, text }) : [];
    const block = { id: path, file, units, rows, isOpen, isWhole, comments: said.length };
    made.current.set(path, { from, block });
    return block;
  });
  if (!isSame(blocks, last.current)) last.current = blocks;
  return last.current;
}
