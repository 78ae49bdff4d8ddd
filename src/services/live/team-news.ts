// Signals pages that something of their team has changed, so that they read it again. Signals of
// jobs carry no team: whose they are is asked once for all readers, and only while there are any.
import type { TeamNews } from '../../contract/live-api.ts';
import { parseRunKey } from '../../domain/run/run-key.ts';
import { findPlaces } from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { FeedMessage } from './run-feed.ts';
import { createWakeUp } from './wake-up.ts';

const PACE_MS = 1000;
const RECHECK_MS = 30_000;
/** Beyond, whose they are is not asked any more: everybody looks again. */
const MOST_IDS = 2000;

export interface TeamNewsFeed {
  /** Only news of these kinds. */
  follow(
    teamId: string,
    kinds: readonly (keyof TeamNews)[],
    signal: AbortSignal,
  ): AsyncIterable<FeedMessage>;
  close(): void;
}

interface Reader {
  teamId: string;
  kinds: readonly (keyof TeamNews)[];
  news: Map<keyof TeamNews, Set<string>>;
  wake(): void;
}

export function createTeamNews(deps: {
  db: Db;
  signals: Signals;
  onError(error: unknown): void;
}): TeamNewsFeed {
  const readers = new Set<Reader>();
  const ids = new Set<string>();
  const runs = new Set<string>();
  const approvals = new Set<string>();
  /** Teams. */
  const requests = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function add(reader: Reader, kind: keyof TeamNews, id?: string): void {
    if (!reader.kinds.includes(kind)) return;
    const known = reader.news.get(kind) ?? new Set();
    reader.news.set(kind, id === undefined ? known : known.add(id));
    reader.wake();
  }

  function tell(teamId: string, kind: keyof TeamNews, id?: string): void {
    for (const reader of readers) if (reader.teamId === teamId) add(reader, kind, id);
  }

  async function flush(): Promise<void> {
    timer = undefined;
    const [jobIds, runIds, approvalIds] = [[...ids], [...runs], [...approvals]];
    for (const teamId of requests) tell(teamId, 'requests');
    for (const known of [ids, runs, approvals, requests]) known.clear();
    if (jobIds.length + runIds.length + approvalIds.length > MOST_IDS) {
      for (const reader of readers)
        for (const kind of ['runs', 'jobs', 'executions', 'approvals'] as const) add(reader, kind);
      return;
    }
    for (const text of runIds) {
      const key = parseRunKey(text);
      if (key !== undefined) tell(key.teamId, 'runs', key.runId);
    }
    for (const text of approvalIds) {
      const key = parseRunKey(text);
      if (key !== undefined) tell(key.teamId, 'approvals', key.runId);
    }
    const places = jobIds.length === 0 ? [] : await findPlaces(deps.db, jobIds);
    for (const { id, teamId, runId, executionId } of places) {
      if (id !== executionId) tell(teamId, 'jobs', id);
      if (executionId !== null) tell(teamId, 'executions', executionId);
      else if (runId !== null) tell(teamId, 'runs', runId);
    }
  }

  function note(known: Set<string>, more: readonly string[]): void {
    if (readers.size === 0) return;
    for (const id of more) if (known.size <= MOST_IDS) known.add(id);
    timer ??= setTimeout(() => void flush().catch(deps.onError), PACE_MS);
  }

  const offs = [
    deps.signals.on('ended', (more) => note(ids, more)),
    deps.signals.on('progress', (more) => note(ids, more)),
    deps.signals.on('runs', (more) => note(runs, more)),
    deps.signals.on('approvals', (more) => note(approvals, more)),
    deps.signals.on('requests', (more) => note(requests, more)),
  ];

  async function* follow(
    teamId: string,
    kinds: readonly (keyof TeamNews)[],
    signal: AbortSignal,
  ): AsyncGenerator<FeedMessage> {
    const { wake, next } = createWakeUp(signal);
    const reader: Reader = { teamId, kinds, news: new Map(), wake };
    readers.add(reader);
    try {
      while (!signal.aborted) {
        await next(RECHECK_MS);
        if (reader.news.size === 0) continue;
        const news = Object.fromEntries([...reader.news].map(([kind, set]) => [kind, [...set]]));
        reader.news.clear();
        yield { event: 'changed', data: JSON.stringify(news), position: '' };
      }
    } finally {
      readers.delete(reader);
    }
  }

  return {
    follow,
    close() {
      clearTimeout(timer);
      offs.forEach((off) => off());
    },
  };
}
