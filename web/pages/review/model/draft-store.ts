// What a reader says, kept on the server. Each change is shown at once and sent a moment later together with others; only what
// changes is sent, so that two tabs do not undo each other. While the server cannot be reached, changes wait, here and in the
// storage of the tab, and are sent when it is back.
import type { ChangeReviewDraftRequest, ReviewDraft } from '../../../../src/contract/review-api.ts';

const PARTS = ['decisions', 'comments', 'viewed'] as const;
type Part = (typeof PARTS)[number];
type Values = Record<string, unknown>;
export type DraftChanges = ChangeReviewDraftRequest;

const COLLECT_MS = 300;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
/** The server takes no more of them at once. */
const MOST_COMMENTS = 100;

export type SyncState = 'saved' | 'saving' | 'waiting' | 'refused';

export interface DraftView {
  draft: ReviewDraft;
  sync: SyncState;
  /** Why it was refused. */
  problem: string | undefined;
}

/** What the store needs of the world around it. */
export interface DraftWorld {
  send(changes: DraftChanges): Promise<ReviewDraft>;
  /** Whether it is worth to try again; otherwise the changes are given up. */
  isPassing(error: unknown): boolean;
  /** What is not sent yet, for the next load of the page. */
  keep(changes: DraftChanges | undefined): void;
  after(ms: number, act: () => void): () => void;
  onSaved(draft: ReviewDraft): void;
  onRefused(error: unknown): void;
}

const isEmpty = (changes: DraftChanges) =>
  PARTS.every((part) => Object.keys(changes[part] ?? {}).length === 0);

export function joined(first: DraftChanges, then: DraftChanges): DraftChanges {
  const all = PARTS.map((part) => [part, { ...first[part], ...then[part] }] as const);
  return Object.fromEntries(all.filter(([, values]) => Object.keys(values).length > 0));
}

function changed(values: Values, changes: Values = {}): Values {
  if (Object.keys(changes).length === 0) return values;
  const all = Object.entries({ ...values, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

export function applied(draft: ReviewDraft, changes: DraftChanges): ReviewDraft {
  const parts = PARTS.map((part: Part) => [part, changed(draft[part], changes[part])]);
  return { ...draft, ...Object.fromEntries(parts) } as ReviewDraft;
}

/** As much as the server takes at once, and what is left. */
function firstBatch(changes: DraftChanges): [DraftChanges, DraftChanges] {
  const comments = Object.entries(changes.comments ?? {});
  if (comments.length <= MOST_COMMENTS) return [changes, {}];
  return [
    { ...changes, comments: Object.fromEntries(comments.slice(0, MOST_COMMENTS)) },
    { comments: Object.fromEntries(comments.slice(MOST_COMMENTS)) },
  ];
}

export interface DraftStore {
  view(): DraftView;
  subscribe(listener: () => void): () => void;
  change(changes: DraftChanges): void;
  /** From elsewhere: another tab, or asked for again. An older one changes nothing. */
  receive(draft: ReviewDraft): void;
  /** When all is sent; at once if nothing waits. Rejects when it was refused. */
  flush(): Promise<void>;
  /** Tries at once what waits for its next try. */
  retryNow(): void;
  /** What is not known to be on the server. */
  unsent(): DraftChanges | undefined;
  close(): void;
}

export function createDraftStore(
  initial: ReviewDraft,
  unsentBefore: DraftChanges | undefined,
  world: DraftWorld,
): DraftStore {
  let known = initial;
  let underWay: DraftChanges | undefined;
  let waiting: DraftChanges = {};
  let retryMs = FIRST_RETRY_MS;
  let cancel: (() => void) | undefined;
  let isClosed = false;
  let view: DraftView = { draft: initial, sync: 'saved', problem: undefined };
  const listeners = new Set<() => void>();
  let awaited: { done: () => void; fail: (error: unknown) => void }[] = [];

  const all = () => joined(underWay ?? {}, waiting);

  function show(sync: SyncState, problem?: string): void {
    view = { draft: applied(known, all()), sync, problem };
    listeners.forEach((each) => each());
  }

  function settle(error?: unknown): void {
    const ended = awaited;
    awaited = [];
    for (const { done, fail } of ended) {
      if (error === undefined) done();
      else fail(error);
    }
  }

  function keep(): void {
    const changes = all();
    world.keep(isEmpty(changes) ? undefined : changes);
  }

  function schedule(ms: number): void {
    cancel?.();
    cancel = world.after(ms, () => {
      cancel = undefined;
      void send();
    });
  }

  async function send(): Promise<void> {
    if (underWay !== undefined || isClosed || isEmpty(waiting)) return;
    const [batch, rest] = firstBatch(waiting);
    underWay = batch;
    waiting = rest;
    if (view.sync !== 'waiting') show('saving');
    try {
      const draft = await world.send(batch);
      underWay = undefined;
      retryMs = FIRST_RETRY_MS;
      if (draft.version > known.version) known = draft;
      keep();
      world.onSaved(known);
      const isDone = isEmpty(waiting);
      show(isDone ? 'saved' : 'saving');
      if (isDone) settle();
      else schedule(awaited.length > 0 ? 0 : COLLECT_MS);
    } catch (error) {
      waiting = joined(batch, waiting);
      underWay = undefined;
      if (world.isPassing(error)) {
        show('waiting');
        schedule(retryMs);
        retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
        return;
      }
      waiting = {};
      keep();
      show('refused', error instanceof Error ? error.message : String(error));
      settle(error);
      world.onRefused(error);
    }
  }

  function change(changes: DraftChanges): void {
    waiting = joined(waiting, changes);
    keep();
    show(view.sync === 'waiting' ? 'waiting' : 'saving');
    // A try that waits comes with its time; what is collected is not put off by what comes.
    if (underWay === undefined && cancel === undefined) schedule(COLLECT_MS);
  }

  if (unsentBefore !== undefined && !isEmpty(unsentBefore)) change(unsentBefore);

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change,
    receive(draft) {
      if (draft.version <= known.version) return;
      known = draft;
      show(view.sync, view.problem);
    },
    async flush() {
      if (underWay === undefined && isEmpty(waiting)) return;
      const sent = new Promise<void>((done, fail) => awaited.push({ done, fail }));
      if (underWay === undefined) schedule(0);
      await sent;
    },
    retryNow() {
      if (underWay === undefined && !isEmpty(waiting)) schedule(0);
    },
    unsent() {
      const changes = all();
      return isEmpty(changes) ? undefined : changes;
    },
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}
