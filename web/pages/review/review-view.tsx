// A review as its reader sees it: what was said so far, the files, and the diffs.
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Review, ReviewDraft } from '../../../src/contract/review-api.ts';
import { api } from '../../api/client.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useFilters } from '../../ui/filters.tsx';
import { EmptyState } from '../../ui/surface.tsx';
import { reviewQuery } from '../approvals/review-query.ts';
import { useColours } from '../../ui/diff/use-colours.ts';
import { CommentView } from './comment-view.tsx';
import { FileTree } from './file-tree.tsx';
import { readEditor } from './kept-editor.ts';
import { commentsByPath } from './model/comments.ts';
import type { LineRange } from './model/comments.ts';
import { filterFiles, FILTERS, isViewed } from './model/filter.ts';
import type { FilterState } from './model/filter.ts';
import { createTexts } from './model/texts.ts';
import { inTreeOrder } from './model/tree.ts';
import { countDecisions } from './model/units.ts';
import { ActionsContext, RightsContext } from './review-context.ts';
import type { EditorTarget } from './review-context.ts';
import { ReviewList } from './review-list.tsx';
import type { ReviewListHandle } from './review-list.tsx';
import type { RowState } from './review-rows.tsx';
import { FileFilters, ReviewToolbar } from './review-toolbar.tsx';
import { SubmitDialog } from './submit-dialog.tsx';
import { useBlocks } from './use-blocks.ts';
import type { FileBlock, Unfolded } from './use-blocks.ts';
import { useDraft } from './use-draft.ts';
import { useLineChoice } from './use-line-choice.ts';
import { useReviewActions } from './use-review-actions.ts';
import type { Current } from './use-review-actions.ts';
import { useReviewSteps } from './use-review-steps.ts';

const NOTHING_UNFOLDED: Unfolded = {
  open: new Map(),
  whole: new Set(),
  split: new Set(),
  gaps: new Map(),
};

/** Of a review that was submitted: what was submitted, also to those who said something else. */
function saidIn({ submission }: Review, draft: ReviewDraft): ReviewDraft {
  if (submission === null) return draft;
  const { decisions, comments } = submission;
  return { ...draft, decisions, comments };
}

/** Hunks of the round before. */
function useEarlier({ previous }: Review, isWanted: boolean) {
  const { data } = useQuery({
    ...reviewQuery(previous ?? ''),
    enabled: isWanted && previous !== null,
    staleTime: Infinity,
  });
  return useMemo(
    () => data && new Set(data.files.flatMap(({ hunks }) => hunks.map(({ id }) => id))),
    [data],
  );
}

function useTexts(approvalId: string) {
  const [texts] = useState(() =>
    createTexts(
      async (from, limit) => (await api.reviews.files(approvalId, { from, limit })).files,
    ),
  );
  useSyncExternalStore(texts.subscribe, texts.version);
  return texts;
}

export function ReviewView({ review, userId }: { review: Review; userId: string }) {
  const { approvalId } = review;
  const [store, { draft: own, sync }] = useDraft(review, userId);
  const draft = saidIn(review, own);
  const mayDecide = review.state === 'open' && review.mayAnswer;
  const filters = useFilters();
  const { q = '', show, stream } = filters.values;
  const state = show !== undefined && show in FILTERS ? (show as FilterState) : undefined;
  const hasEarlier = review.round > 1 && review.previous !== null;
  const earlier = useEarlier(review, hasEarlier && state === 'changed');
  const texts = useTexts(approvalId);
  const colours = useColours();
  const [current, setCurrent] = useState<Current>();
  const [editor, setEditor] = useState<EditorTarget | undefined>(() => readEditor(approvalId));
  const [unfolded, setUnfolded] = useState<Unfolded>(NOTHING_UNFOLDED);
  const [selected, setSelected] = useState<LineRange>();
  const [isFinishing, setFinishing] = useState(false);
  const [showsTree, setShowsTree] = useState(false);
  const list = useRef<ReviewListHandle>(null);
  const bar = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);

  const all = useMemo(() => inTreeOrder(review.files), [review.files]);
  const streams = useMemo(() => [...new Set(all.flatMap((file) => file.streams))].sort(), [all]);
  const comments = useMemo(() => commentsByPath(review, draft.comments), [review, draft.comments]);
  const commentsOf = useCallback((path: string) => comments.get(path)?.length ?? 0, [comments]);
  const files = useMemo(
    () =>
      filterFiles(
        all,
        { text: q, state, stream },
        {
          draft,
          hasComments: (path) => commentsOf(path) > 0,
          earlier,
          failed: review.failed?.stream,
        },
      ),
    [all, q, state, stream, draft, commentsOf, earlier, review.failed],
  );
  const blocks = useBlocks({
    files,
    textOf: texts.get,
    draft,
    comments,
    editor: mayDecide ? editor : undefined,
    unfolded,
  });
  const byPath = useMemo(() => new Map(all.map((file) => [file.path, file])), [all]);
  const actions = useReviewActions({
    approvalId,
    draft,
    blocks,
    editor,
    textOf: (path) => texts.get(byPath.get(path)?.position ?? -1),
    change: store.change,
    setCurrent,
    setEditor,
    setUnfolded,
  });
  const lines = useLineChoice(blocks, { select: setSelected, comment: actions.comment });
  const scrollTo = useCallback((path: string, row?: string) => {
    list.current?.scrollTo({ block: path, row });
  }, []);
  useReviewSteps({
    blocks,
    current,
    draft,
    actions,
    lines,
    mayDecide,
    setCurrent,
    scrollTo,
    onFinish: () => setFinishing(true),
  });
  // Lines stay marked while their comment is written; then the keys are those of the hunk again.
  useEffect(() => {
    if (editor !== undefined) return;
    setSelected(undefined);
    if (document.activeElement !== document.body) return;
    box.current
      ?.querySelector<HTMLElement>('[aria-current][data-unit]')
      ?.focus({ preventScroll: true });
  }, [editor]);

  const onWant = useCallback(
    (wanted: readonly FileBlock[]) =>
      texts.want(wanted.filter(({ isOpen }) => isOpen).map(({ file }) => file.position)),
    [texts],
  );
  const barHeight = useCallback(() => bar.current?.offsetHeight ?? 0, []);
  useEffect(() => {
    const set = () => box.current?.style.setProperty('--review-bar', `${barHeight()}px`);
    const observer = new ResizeObserver(set);
    observer.observe(bar.current!);
    return () => observer.disconnect();
  }, [barHeight]);

  const counts = useMemo(() => countDecisions(all, draft.decisions), [all, draft.decisions]);
  const said = Object.keys(draft.comments).length;
  const lost = [...comments].filter(([path]) => !byPath.has(path)).flatMap(([, some]) => some);
  const rowState: RowState = {
    draft,
    current,
    selected: selected ?? editor?.range,
    editor,
    mayComment: mayDecide,
    tokensOf(block, { sign, oldLine, newLine }) {
      const text = texts.get(block.file.position);
      if (text === undefined) return undefined;
      return sign === '-'
        ? colours.tokensOf(block.id, text, 'before', oldLine!)
        : colours.tokensOf(block.id, text, 'after', newLine!);
    },
  };
  const rights = useMemo(() => ({ mayDecide }), [mayDecide]);
  const tree = (className: string) => (
    <FileTree
      files={files}
      draft={draft}
      commentsOf={commentsOf}
      current={current?.path}
      className={className}
      onChoose={(path) => {
        setShowsTree(false);
        setCurrent({ path, unit: undefined });
        scrollTo(path);
      }}
    />
  );
  return (
    <ActionsContext value={actions}>
      <RightsContext value={rights}>
        <div ref={box}>
          <ReviewToolbar
            ref={bar}
            counts={counts}
            viewed={all.filter(({ path }) => isViewed(draft.viewed, path)).length}
            files={all.length}
            comments={said}
            sync={sync}
            filters={filters}
            streams={streams}
            hasEarlier={hasEarlier}
            hasFailed={review.failed !== null}
            mayDecide={mayDecide}
            onFiles={() => setShowsTree(true)}
            onFinish={() => setFinishing(true)}
          />
          {lost.length === 0 ? null : (
            <section aria-label="Comments on other files" className="mb-4">
              <h2 className="text-sm font-semibold">On files that are not in this review</h2>
              {lost.map((one) => (
                <CommentView key={one.id} shown={{ ...one, isOutdated: true }} namesFile />
              ))}
            </section>
          )}
          <div className="flex items-start gap-4">
            <div className="sticky top-(--review-bar) hidden w-72 shrink-0 md:block">
              {tree('h-[calc(100dvh-8.5rem)] overflow-y-auto')}
            </div>
            <div className="min-w-0 flex-1" {...lines.handlers}>
              {blocks.length === 0 ? (
                <EmptyState title="No file matches">
                  <p>Other files may: change what is filtered by.</p>
                </EmptyState>
              ) : (
                <ReviewList
                  blocks={blocks}
                  state={rowState}
                  barHeight={barHeight}
                  onWant={onWant}
                  handle={list}
                />
              )}
              {texts.problem() === undefined ? null : (
                <p role="alert" className="py-3 text-sm text-bad">
                  Some files could not be loaded and are tried again: {texts.problem()}
                </p>
              )}
            </div>
          </div>
          {showsTree ? (
            <Dialog open onOpenChange={setShowsTree} title="Files">
              <div className="mb-3 flex flex-wrap items-center gap-2">
                <FileFilters
                  filters={filters}
                  streams={streams}
                  hasEarlier={hasEarlier}
                  hasFailed={review.failed !== null}
                />
              </div>
              {tree('h-[48vh] overflow-y-auto')}
            </Dialog>
          ) : null}
          {isFinishing && mayDecide ? (
            <SubmitDialog
              review={review}
              store={store}
              counts={counts}
              comments={said}
              unfinished={editor?.range.path}
              onClose={() => setFinishing(false)}
              onUnfinished={() => {
                setFinishing(false);
                if (editor !== undefined) scrollTo(editor.range.path, 'editor');
              }}
            />
          ) : null}
        </div>
      </RightsContext>
    </ActionsContext>
  );
}
