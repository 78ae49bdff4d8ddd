// The run that the user asks about: the last one, or the one whose id begins so.
import { stat } from 'node:fs/promises';
import type { RunEvent } from '../../contract/run-events.ts';
import { didNothing, endOf } from '../../domain/run/events.ts';
import { matchId } from '../../domain/run/short-id.ts';
import { nearestName } from '../../manifest/text/nearest.ts';
import { OrchestratorError } from '../errors.ts';
import { readJournal } from '../state/journal.ts';
import { findLockHolder } from '../state/lock.ts';
import { checkRunId, journalOf, listRunIds } from '../state/run-folder.ts';

export interface FoundRun {
  runId: string;
  journal: string;
  events: RunEvent[];
}

export type RunState = 'running' | 'complete' | 'failed' | 'cancelled' | 'paused' | 'interrupted';

const RUN = 'run_';

function unknownRun(message: string, ids: readonly string[]): OrchestratorError {
  const items = ids.slice(-3).toReversed();
  return new OrchestratorError({ code: 'RUN_NOT_FOUND', message, items });
}

export function ambiguous(asked: string, items: readonly string[]): OrchestratorError {
  const message = `"${asked}" matches ${items.length} ids.`;
  return new OrchestratorError({ code: 'AMBIGUOUS_ID', message, items });
}

function chooseId(ids: readonly string[], asked: string): string {
  const match = matchId(ids, asked, RUN);
  if (match.kind === 'many') throw ambiguous(asked, match.ids);
  if (match.kind === 'none') throw unknownRun(`There is no run "${asked}" in this project.`, ids);
  return match.id;
}

/** Last written to first: a run that was resumed is newer than its id says. */
async function newestFirst(stateDir: string, ids: readonly string[]): Promise<string[]> {
  const written: { id: string; time: number }[] = [];
  for (const id of ids) {
    const state = await stat(journalOf(stateDir, id)).catch(() => undefined);
    if (state !== undefined) written.push({ id, time: state.mtimeMs });
  }
  // Of two that were written at the same time, the one with the later id.
  return written
    .toReversed()
    .sort((a, b) => b.time - a.time)
    .map(({ id }) => id);
}

/** The last run that did something; where none did, the last one. */
async function findLast(stateDir: string, ids: readonly string[]): Promise<FoundRun> {
  const [newest, ...others] = await newestFirst(stateDir, ids);
  if (newest === undefined) throw unknownRun('There are no runs in this project yet.', ids);
  const last = await readRun(stateDir, newest, ids);
  if (!didNothing(last.events)) return last;
  for (const id of others) {
    const { events } = await readJournal(journalOf(stateDir, id));
    if (events[0]?.type === 'run.started' && !didNothing(events)) return readRun(stateDir, id, ids);
  }
  return last;
}

export async function findRun(stateDir: string, asked: string | undefined): Promise<FoundRun> {
  const ids = await listRunIds(stateDir);
  if (asked === undefined) return findLast(stateDir, ids);
  return readRun(stateDir, chooseId(ids, asked), ids);
}

async function readRun(stateDir: string, runId: string, ids: readonly string[]): Promise<FoundRun> {
  const journal = journalOf(stateDir, runId);
  const { events } = await readJournal(journal);
  if (events[0]?.type !== 'run.started') {
    const others = ids.filter((id) => id !== runId);
    throw unknownRun(`${runId} ended before it could start.`, others);
  }
  checkRunId(stateDir, runId, events[0].runId);
  return { runId, journal, events };
}

export interface RunTarget {
  run: FoundRun;
  /** Whether the run was named, and not just the last one. */
  isNamed: boolean;
  /** Only these streams of it: the one that was named, and its fixes. */
  stream?: { id: string; ids: Set<string> };
}

/** One word may be a run, or a stream of the last run. */
export async function findTarget(stateDir: string, words: readonly string[]): Promise<RunTarget> {
  const [first, second] = words;
  if (first === undefined) return { run: await findRun(stateDir, undefined), isNamed: false };
  if (second !== undefined) {
    const run = await findRun(stateDir, first);
    return { run, isNamed: true, stream: findStream(run, second) };
  }
  if (first.startsWith(RUN)) return { run: await findRun(stateDir, first), isNamed: true };
  const run = await findRun(stateDir, undefined);
  const streams = matchId(streamIdsOf(run), first);
  const runs = matchId(await listRunIds(stateDir), first, RUN);
  const isExact = streams.kind === 'one' && streams.id === first;
  if (runs.kind === 'none' || isExact) {
    return { run, isNamed: false, stream: findStream(run, first) };
  }
  if (streams.kind === 'none') return { run: await findRun(stateDir, first), isNamed: true };
  throw ambiguous(first, [...idsOf(streams), ...idsOf(runs)]);
}

function idsOf(match: ReturnType<typeof matchId>): string[] {
  if (match.kind === 'many') return match.ids;
  return match.kind === 'one' ? [match.id] : [];
}

function streamIdsOf({ events }: FoundRun): Set<string> {
  const known = new Set<string>();
  for (const event of events) {
    if (event.type === 'run.started') for (const { id } of event.streams) known.add(id);
    if (event.type === 'stream.fix') known.add(event.fix);
  }
  return known;
}

/** The stream and the fixes that were made for it. */
export function findStream(run: FoundRun, asked: string): { id: string; ids: Set<string> } {
  const id = matchStream(streamIdsOf(run), asked, `There is no stream "${asked}" in ${run.runId}.`);
  const ids = new Set([id]);
  for (const event of run.events) {
    if (event.type === 'stream.fix' && event.stream === id) ids.add(event.fix);
  }
  return { id, ids };
}

const MOST_NAMED = 20;

export function matchStream(known: Iterable<string>, asked: string, message: string): string {
  const all = [...known];
  const match = matchId(all, asked);
  if (match.kind === 'one') return match.id;
  if (match.kind === 'many') throw ambiguous(asked, match.ids);
  const nearest = nearestName(asked, all);
  const items = nearest === undefined ? all.slice(0, MOST_NAMED) : [nearest];
  const hint = nearest === undefined ? `Streams: ${items.join(', ')}` : `Did you mean ${nearest}?`;
  throw new OrchestratorError({ code: 'UNKNOWN_STREAM', message, items, hint });
}

/** Whether a process is on this run. Which one it resumes is not known while it starts. */
export function isAtWork(stateDir: string, runId: string): boolean {
  const holder = findLockHolder(stateDir);
  if (holder?.work !== undefined) return false;
  return holder?.runId === runId || holder?.runId === 'starting';
}

const STATES: Record<string, RunState> = {
  'run.completed': 'complete',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
  'run.paused': 'paused',
};

export function stateOfRun(stateDir: string, run: FoundRun): RunState {
  const end = endOf(run.events);
  if (end !== undefined) return STATES[end.type]!;
  return isAtWork(stateDir, run.runId) ? 'running' : 'interrupted';
}
