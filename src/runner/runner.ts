// Takes requests from a server and does them, until it must stop. It asks for work and says with the same call what
// it has under way; whatever the answer says, only what this machine's owner allows is done.
import { isDeepStrictEqual } from 'node:util';
import { MillraceError } from '../client/errors.ts';
import { TakenRequest } from '../contract/runner-api.ts';
import type { NewRunner, PolledRunner } from '../contract/runner-api.ts';
import type { Clock } from '../platform/clock.ts';
import { runRequest } from './request-run.ts';
import type { RequestRunDeps } from './request-run.ts';
import { RunnerFileError } from './runner-file.ts';
import type { RunnerFile } from './runner-file.ts';
import type { ServerCalls } from './server-calls.ts';
import { failedEnd } from './outcome.ts';

export interface RunnerDeps extends Omit<RequestRunDeps, 'progress'> {
  server: ServerCalls;
  clock: Clock;
  concurrency: number;
  /** Read anew each time: what the owner allows or takes back counts from then on. */
  allowed(): RunnerFile;
  /** What it says of itself now. */
  describe(): Promise<NewRunner>;
  remember(id: string): Promise<void>;
  id: string | undefined;
  say(line: string): void;
  /** The server's version is not that of this runner. */
  onOutdated(serverVersion: string): void;
}

interface Running {
  request: TakenRequest;
  controller: AbortController;
  /** What became of it is being said. */
  isEnding: boolean;
  done: Promise<void>;
}

const AGAIN_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
const LOOK_EVERY_MS = 30_000;
/** Clones are looked at: what is new in them, and what can go. */
const TIDY_EVERY_MS = 3_600_000;
/** For the last words to a server that is away. */
const LAST_TRIES_MS = 600_000;

const isFinal = (error: unknown): boolean =>
  error instanceof MillraceError &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429;

const whyAway = (error: unknown): string =>
  error instanceof RunnerFileError
    ? error.message
    : `the server cannot be reached: ${(error as Error).message}`;

export interface Runner {
  /** What it says of itself may have changed. */
  lookNow(): void;
  /** Resolves when it has stopped; `stopping`: its runs are given back. */
  run(stopping: AbortSignal): Promise<void>;
}

export function createRunner(deps: RunnerDeps): Runner {
  const { server, clock, say, concurrency, places } = deps;
  const running = new Map<string, Running>();
  let { id } = deps;
  let session = 0;
  let leaseSeconds = 30;
  let facts: NewRunner | undefined;
  /** Whether the server knows these facts. */
  let isAnnounced = false;
  let announcing: Promise<void> | undefined;
  /** Of the last poll. */
  let polledIn = 0;
  let wake = new AbortController();
  let lookNow = new AbortController();

  /** Tried until the server takes it or says that it is not ours any more. */
  async function surely(what: () => Promise<unknown>): Promise<void> {
    const until = clock.now() + LAST_TRIES_MS;
    for (let pauseMs = 200; ; pauseMs = Math.min(pauseMs * 2, 5000)) {
      try {
        await what();
        return;
      } catch (error) {
        if (isFinal(error) || clock.now() > until) throw error;
        await clock.sleep(pauseMs);
      }
    }
  }

  async function doIt(one: Omit<Running, 'done'>): Promise<void> {
    const { request, controller } = one;
    const { id: requestId, fence, work } = request;
    const progress = async (said: { runId?: string; base?: string }) => {
      await surely(() => server.progress(requestId, { fence, ...said }));
    };
    say(`${requestId}  started  ${work.project}, for ${request.requestedBy.email}`);
    try {
      const { projects } = deps.allowed();
      const project = Object.hasOwn(projects, work.project) ? projects[work.project] : undefined;
      const end =
        project === undefined
          ? failedEnd('not_found', `This runner does not have ${work.project} any more.`)
          : await runRequest(request, project, { ...deps, progress }, controller.signal);
      if (controller.signal.reason === 'lost') return;
      one.isEnding = true;
      const isGivenBack = controller.signal.reason === 'stopping' && end.status !== 'completed';
      if (isGivenBack) await surely(() => server.release(requestId, fence));
      else await surely(() => server.end(requestId, { fence, ...end }));
      say(`${requestId}  ${isGivenBack ? 'given back' : end.status}`);
    } catch (error) {
      say(`${requestId}  ${(error as Error).message}`);
      if (isFinal(error)) return;
      one.isEnding = true;
      const end = failedEnd('failed', `The runner could not do it: ${(error as Error).message}`);
      await surely(() => server.end(requestId, { fence, ...end })).catch(() => undefined);
    }
  }

  function start(request: TakenRequest): void {
    // Given again with another number: what the earlier one does does not count.
    running.get(request.id)?.controller.abort('lost');
    const before = running.get(request.id)?.done ?? Promise.resolve();
    const controller = new AbortController();
    const one = { request, controller, isEnding: false };
    const done = before
      .then(() => doIt(one))
      .finally(() => {
        if (running.get(request.id)?.controller === controller) running.delete(request.id);
        lookNow.abort();
        // What has ended is news to the server, which answers the poll; of what was lost it knows.
        if (controller.signal.reason === 'lost') wake.abort();
      });
    running.set(request.id, Object.assign(one, { done }));
  }

  /** One at a time: each makes the session of before invalid. */
  function announce(signal: AbortSignal): Promise<void> {
    announcing ??= announceNow(signal).finally(() => (announcing = undefined));
    return announcing;
  }

  async function announceNow(signal: AbortSignal): Promise<void> {
    facts ??= await deps.describe();
    const said = facts;
    const announced = await server.announce(id === undefined ? said : { ...said, id }, { signal });
    if (announced.id !== id) {
      ({ id } = announced);
      await deps.remember(announced.id);
    }
    ({ session, leaseSeconds } = announced);
    isAnnounced = said === facts;
    if (announced.serverVersion !== said.version) deps.onOutdated(announced.serverVersion);
  }

  /** What its owner has changed, or a repository has got. Looked for beside the asking, which it would hold up. */
  async function keepLooking(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const until = AbortSignal.any([stopping, lookNow.signal]);
      await clock.sleep(LOOK_EVERY_MS, until).catch(() => undefined);
      if (stopping.aborted) return;
      lookNow = new AbortController();
      // What cannot be looked at now, as a file that is being written, may be the next time.
      const seen = await deps.describe().catch(() => undefined);
      if (seen === undefined || isDeepStrictEqual(seen, facts)) continue;
      facts = seen;
      isAnnounced = false;
      // The poll under way is not broken off, for it may just be bringing work: the server ends it. Else the next one tries.
      await announce(stopping).catch(() => undefined);
    }
  }

  function heed({ start: taken, cancel, lost }: PolledRunner): void {
    for (const requestId of cancel) running.get(requestId)?.controller.abort('cancelled');
    for (const requestId of lost) {
      const one = running.get(requestId);
      // Else it is gone because its end was taken.
      if (one?.isEnding === false) one.controller.abort('lost');
    }
    for (const request of taken) accept(request);
  }

  /** What a server says is looked at as if anybody had said it. */
  function accept(given: unknown): void {
    const parsed = TakenRequest.safeParse(given);
    if (parsed.success) return start(parsed.data);
    const problem = parsed.error.issues[0]!;
    const message = `The request is not one that a runner takes: ${problem.path.join('.')} ${problem.message}`;
    say(message);
    const { id: named, fence } = (given ?? {}) as Partial<TakenRequest>;
    if (typeof named !== 'string' || typeof fence !== 'number') return;
    const end = failedEnd('unusable', message.slice(0, 1000));
    void surely(() => server.end(named, { fence, ...end })).catch(() => undefined);
  }

  async function ask(stopping: AbortSignal): Promise<void> {
    const names = Object.keys(deps.allowed().projects);
    polledIn = session;
    const busy = names.filter((name) => !places.isFree(name));
    const polled = await server.poll(
      id!,
      {
        session,
        free: Math.max(0, concurrency - running.size),
        busy,
        running: [...running.values()]
          .filter(({ controller }) => controller.signal.reason !== 'lost')
          .map(({ request }) => ({ id: request.id, fence: request.fence })),
        wait: Math.min(20, leaseSeconds / 3),
      },
      { signal: AbortSignal.any([stopping, wake.signal]) },
    );
    heed(polled);
  }

  /** What is new in them is announced. */
  async function prepare(signal: AbortSignal): Promise<void> {
    for (const [name, project] of Object.entries(deps.allowed().projects)) {
      try {
        await places.prepare(name, project, signal);
      } catch (error) {
        if (!signal.aborted) say(`${name}  ${(error as Error).message}`);
      }
    }
    lookNow.abort();
  }

  async function keepClones(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      try {
        await prepare(stopping);
        await places.tidy(deps.allowed().projects, { now: clock.now(), say });
      } catch (error) {
        say((error as Error).message);
      }
      await clock.sleep(TIDY_EVERY_MS, stopping).catch(() => undefined);
    }
  }

  return {
    lookNow: () => lookNow.abort(),
    async run(stopping) {
      void keepClones(stopping);
      let failures = 0;
      let saidLast: 'connected' | 'away' | undefined;
      while (!stopping.aborted) {
        wake = new AbortController();
        try {
          if (!isAnnounced) await announce(stopping);
          if (saidLast === undefined) void keepLooking(stopping);
          if (saidLast !== 'connected') say(saidLast === 'away' ? 'connected again' : 'connected');
          saidLast = 'connected';
          await ask(stopping);
          failures = 0;
        } catch (error) {
          if (stopping.aborted || wake.signal.aborted) continue;
          const status = error instanceof MillraceError ? error.status : undefined;
          // It has been announced anew meanwhile.
          if (status === 409 && polledIn !== session) continue;
          isAnnounced = false;
          if (status === 409) continue;
          if (status === 401 || status === 403 || status === 400) throw error;
          if (saidLast !== 'away') say(whyAway(error));
          saidLast = 'away';
          failures += 1;
          const pauseMs = Math.min(AGAIN_MS * 2 ** Math.min(failures - 1, 5), LONGEST_PAUSE_MS);
          await clock.sleep(pauseMs, stopping).catch(() => undefined);
        }
      }
      for (const { controller } of running.values()) controller.abort('stopping');
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
