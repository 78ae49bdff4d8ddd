// What a reader says on its way to the server, which may be away, slow, or refuse it.
import { expect, it } from 'vitest';
import type { ReviewDraft } from '../../../src/contract/review-api.ts';
import { applied, createDraftStore } from '../../../web/pages/review/model/draft-store.ts';
import type { DraftChanges, DraftStore } from '../../../web/pages/review/model/draft-store.ts';

const EMPTY: ReviewDraft = { version: 0, decisions: {}, comments: {}, viewed: {} };
const AWAY = new Error('away');
const comment = (text: string) =>
  ({ path: 'a.ts', side: 'new', line: 1, text, quoted: 'x' }) as const;

interface Sent {
  changes: DraftChanges;
  answer(error?: Error): Promise<void>;
}

/** A server that merges as the real one does, and a clock that is moved by hand. */
function newWorld(unsent?: DraftChanges, start = EMPTY) {
  let server = start;
  const sent: Sent[] = [];
  const timers: { ms: number; act: () => void }[] = [];
  const kept: (DraftChanges | undefined)[] = [];
  const refused: unknown[] = [];
  const store: DraftStore = createDraftStore(start, unsent, {
    send: (changes) =>
      new Promise((done, fail) => {
        sent.push({
          changes,
          async answer(error) {
            if (error === undefined) {
              server = { ...applied(server, changes), version: server.version + 1 };
              done(server);
            } else fail(error);
            await new Promise((next) => setImmediate(next));
          },
        });
      }),
    isPassing: (error) => error === AWAY,
    keep: (changes) => kept.push(changes),
    after(ms, act) {
      const timer = { ms, act };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    onSaved: () => undefined,
    onRefused: (error) => refused.push(error),
  });
  /** The next timer; how long it was. */
  const tick = () => {
    const timer = timers.shift();
    timer?.act();
    return timer?.ms;
  };
  return { store, sent, timers, tick, kept, refused, server: () => server };
}

it('changes are shown at once and sent together, once', async () => {
  const { store, sent, tick, timers, kept, server } = newWorld();
  store.change({ decisions: { a: 'accepted' } });
  store.change({ decisions: { b: 'rejected' }, viewed: { 'a.ts': true } });
  store.change({ decisions: { a: null } });
  expect(store.view()).toMatchObject({ sync: 'saving', draft: { decisions: { b: 'rejected' } } });
  expect(timers).toHaveLength(1);
  expect(tick()).toBe(300);
  store.change({ decisions: { c: 'accepted' } });
  expect(sent).toHaveLength(1);
  expect(sent[0]!.changes).toEqual({
    decisions: { a: null, b: 'rejected' },
    viewed: { 'a.ts': true },
  });
  await sent[0]!.answer();
  tick();
  await sent[1]!.answer();
  expect(server().decisions).toEqual({ b: 'rejected', c: 'accepted' });
  expect(store.view()).toMatchObject({ sync: 'saved', draft: server() });
  expect(kept.at(-1)).toBeUndefined();
  expect(store.unsent()).toBeUndefined();
});

it('while the server is away they wait, newer ones win, and all are sent when it is back', async () => {
  const { store, sent, tick, server } = newWorld();
  store.change({ decisions: { a: 'accepted', b: 'accepted' } });
  tick();
  await sent[0]!.answer(AWAY);
  expect(store.view().sync).toBe('waiting');
  store.change({ decisions: { a: 'rejected' } });
  expect(store.unsent()).toEqual({ decisions: { a: 'rejected', b: 'accepted' } });
  expect(tick()).toBe(500);
  await sent[1]!.answer(AWAY);
  expect(tick()).toBe(1000);
  await sent[2]!.answer(AWAY);
  store.retryNow();
  expect(tick()).toBe(0);
  await sent[3]!.answer();
  expect(server().decisions).toEqual({ a: 'rejected', b: 'accepted' });
  expect(store.view().sync).toBe('saved');
});

it('what the page before had not sent is sent by the next', async () => {
  const start = { ...EMPTY, version: 4, decisions: { a: 'accepted' } as const };
  const { store, sent, tick, server } = newWorld({ decisions: { a: null, b: 'rejected' } }, start);
  expect(store.view().draft.decisions).toEqual({ b: 'rejected' });
  tick();
  await sent[0]!.answer();
  expect(server().decisions).toEqual({ b: 'rejected' });
});

it('a refusal gives them up and says why, also to a flush that waits for them', async () => {
  const { store, sent, tick, refused } = newWorld();
  store.change({ decisions: { a: 'accepted' } });
  const flushed = store.flush();
  const failure = expect(flushed).rejects.toThrow('was answered');
  expect(tick()).toBe(0);
  await sent[0]!.answer(new Error('was answered'));
  await failure;
  expect(store.view()).toMatchObject({
    sync: 'refused',
    problem: 'was answered',
    draft: { decisions: {} },
  });
  expect(refused).toHaveLength(1);
});

it('a flush waits for what is under way and what came since', async () => {
  const { store, sent, tick, server } = newWorld();
  await store.flush();
  store.change({ decisions: { a: 'accepted' } });
  tick();
  store.change({ decisions: { b: 'accepted' } });
  let isFlushed = false;
  const flushed = store.flush().then(() => (isFlushed = true));
  await sent[0]!.answer();
  expect(isFlushed).toBe(false);
  expect(tick()).toBe(0);
  await sent[1]!.answer();
  await flushed;
  expect(Object.keys(server().decisions)).toEqual(['a', 'b']);
});

it('what another tab saved is shown below what this one has not sent yet; older answers change nothing', async () => {
  const { store, sent, tick } = newWorld();
  store.change({ decisions: { a: 'rejected' } });
  store.receive({ ...EMPTY, version: 7, decisions: { a: 'accepted', b: 'accepted' } });
  expect(store.view().draft.decisions).toEqual({ a: 'rejected', b: 'accepted' });
  store.receive({ ...EMPTY, version: 6 });
  tick();
  await sent[0]!.answer();
  expect(store.view().draft.decisions).toEqual({ b: 'accepted', a: 'accepted' });
});

it('more comments than the server takes at once are sent one batch after the other', async () => {
  const { store, sent, tick, server } = newWorld();
  const many = Object.fromEntries(
    Array.from({ length: 250 }, (_, at) => [`c-${at}`, comment('x')]),
  );
  store.change({ comments: many });
  tick();
  await sent[0]!.answer();
  tick();
  await sent[1]!.answer();
  tick();
  await sent[2]!.answer();
  expect(sent.map(({ changes }) => Object.keys(changes.comments!).length)).toEqual([100, 100, 50]);
  expect(Object.keys(server().comments)).toHaveLength(250);
  expect(store.view().sync).toBe('saved');
});
