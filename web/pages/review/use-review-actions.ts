// What a reader does, as changes of the draft and of what is shown.
import { useMemo, useRef } from 'react';
import type { Dispatch, SetStateAction } from 'react';
import type { ReviewComment, ReviewDraft } from '../../../src/contract/review-api.ts';
import { quoteOf, rangeOfComment } from './model/comments.ts';
import type { LineRange } from './model/comments.ts';
import type { FileText } from './model/diff-rows.ts';
import type { DraftChanges } from './model/draft-store.ts';
import { isViewed } from './model/filter.ts';
import { decideFile, decideUnit, decisionOfFile, joinHunk, splitHunk } from './model/units.ts';
import { keepEditor } from './kept-editor.ts';
import type { EditorTarget, ReviewActions } from './review-context.ts';
import type { FileBlock, Unfolded } from './use-blocks.ts';

export interface Current {
  path: string;
  unit: string | undefined;
}

export interface ReviewState {
  approvalId: string;
  draft: ReviewDraft;
  blocks: readonly FileBlock[];
  editor: EditorTarget | undefined;
  textOf: (path: string) => FileText | undefined;
  change: (changes: DraftChanges) => void;
  setCurrent: Dispatch<SetStateAction<Current | undefined>>;
  setEditor: Dispatch<SetStateAction<EditorTarget | undefined>>;
  setUnfolded: Dispatch<SetStateAction<Unfolded>>;
}

/** Also where the page has no certificate, and with it no `randomUUID`. */
function newCommentId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return `c-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function toggled<T>(values: ReadonlySet<T>, value: T, on = !values.has(value)): ReadonlySet<T> {
  const next = new Set(values);
  if (on) next.add(value);
  else next.delete(value);
  return next;
}

const without = <V>(map: ReadonlyMap<string, V>, key: string) => {
  const next = new Map(map);
  next.delete(key);
  return next;
};

function commentOf(
  range: LineRange,
  text: FileText | undefined,
  typed: EditorTarget['typed'],
): ReviewComment {
  const { path, side, from, to, hunk } = range;
  return {
    path,
    side,
    line: from,
    ...(to !== from && { endLine: to }),
    ...(hunk !== undefined && { hunk }),
    text: typed.text,
    ...(typed.suggestion !== undefined && { suggestion: typed.suggestion }),
    quoted: text === undefined ? '' : quoteOf(text, range),
  };
}

export function useReviewActions(state: ReviewState): ReviewActions {
  const latest = useRef(state);
  latest.current = state;
  return useMemo<ReviewActions>(() => {
    const now = () => latest.current;
    const blockOf = (path: string) => now().blocks.find(({ id }) => id === path);

    function open(editor: EditorTarget | undefined): void {
      keepEditor(now().approvalId, editor);
      now().setEditor(editor);
    }

    return {
      decide(_path, unit, decision) {
        const { draft, change } = now();
        const { decisions } = draft;
        const isSame = decisions[unit.id] === decision;
        change({ decisions: decideUnit(unit, isSame ? null : decision, decisions) });
      },
      undecide(unit) {
        const { draft, change } = now();
        change({ decisions: decideUnit(unit, null, draft.decisions) });
      },
      decideFile(path, decision) {
        const { draft, change } = now();
        const file = blockOf(path)?.file;
        if (file === undefined) return;
        const isSame = decisionOfFile(file, draft.decisions) === decision;
        change({ decisions: decideFile(file, isSame ? null : decision, draft.decisions) });
      },
      toggleViewed(path) {
        const { draft, change, setUnfolded } = now();
        // Again as it is by itself: what is viewed is closed.
        setUnfolded((all) => ({ ...all, open: without(all.open, path) }));
        change({ viewed: { [path]: isViewed(draft.viewed, path) ? null : true } });
      },
      toggleOpen(path) {
        const isOpen = blockOf(path)?.isOpen === true;
        now().setUnfolded((all) => ({ ...all, open: new Map(all.open).set(path, !isOpen) }));
      },
      toggleWhole(path) {
        now().setUnfolded((all) => ({ ...all, whole: toggled(all.whole, path) }));
      },
      toggleSplit(path, hunk) {
        const { draft, change, setUnfolded } = now();
        const units = blockOf(path)?.units ?? [];
        const isSplit = units.some((unit) => unit.hunk.id === hunk.id && unit.part !== undefined);
        const make = isSplit ? joinHunk : splitHunk;
        const decisions = make(hunk, draft.decisions);
        setUnfolded((all) => ({ ...all, split: toggled(all.split, hunk.id, !isSplit) }));
        if (Object.keys(decisions).length > 0) change({ decisions });
      },
      openGap(path, gap, { down = 0, up = 0 }) {
        now().setUnfolded((all) => {
          const own = new Map(all.gaps.get(path));
          const before = own.get(gap) ?? { down: 0, up: 0 };
          own.set(gap, { down: before.down + down, up: before.up + up });
          return { ...all, gaps: new Map(all.gaps).set(path, own) };
        });
      },
      select(path, unit) {
        now().setCurrent((before) =>
          before?.path === path && before.unit === unit ? before : { path, unit },
        );
      },
      comment(range) {
        // Words that are not added yet are not thrown away by a click elsewhere.
        const typed = now().editor?.typed;
        if (typed !== undefined && (typed.text.trim() !== '' || typed.suggestion !== undefined)) {
          return;
        }
        open({ range, id: undefined, typed: { text: '', suggestion: undefined } });
      },
      editComment(id, comment) {
        const { text, suggestion } = comment;
        open({ range: rangeOfComment(comment), id, typed: { text, suggestion } });
      },
      deleteComment(id) {
        now().change({ comments: { [id]: null } });
      },
      type(typed) {
        const { editor } = now();
        if (editor !== undefined) open({ ...editor, typed });
      },
      saveComment(typed) {
        const { editor, textOf, draft, change } = now();
        if (editor === undefined) return;
        const { range, id = newCommentId() } = editor;
        const before = Object.hasOwn(draft.comments, id) ? draft.comments[id] : undefined;
        const fresh = commentOf(range, textOf(range.path), typed);
        // It stays about the lines that it was made for, also where these have changed.
        const comment = before === undefined ? fresh : { ...fresh, quoted: before.quoted };
        change({ comments: { [id]: comment } });
        open(undefined);
      },
      closeEditor() {
        open(undefined);
      },
      linesOf(range) {
        const text = now().textOf(range.path);
        return text === undefined ? '' : quoteOf(text, range);
      },
    };
  }, []);
}
