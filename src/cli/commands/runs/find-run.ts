// The run that a command is about: the last one, or the one whose id begins so.
import { stat } from 'node:fs/promises';
import type { RunEvent } from '../../../domain/run/events.ts';
import { isRunEnd } from '../../../domain/run/events.ts';
import { readJournal } from '../../../orchestrator/state/journal.ts';
import { findLockHolder } from '../../../orchestrator/state/lock.ts';
import { checkRunId, journalOf, listRunIds } from '../../../orchestrator/state/run-folder.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';

export interface FoundRun {
  runId: string;
  journal: string;
  events: RunEvent[];
}

export type RunState = 'running' | 'complete' | 'failed' | 'cancelled' | 'paused' | 'interrupted';

function unknownRun(message: string, ids: readonly string[]): CommandError {
  const last = ids.slice(-3).toReversed().join(', ');
  return new CommandError({
    code: 'RUN_NOT_FOUND',
    message,
    hint:
      ids.length === 0 ? `Start one with: ${commandLine('run')}` : `The last runs here: ${last}`,
  });
}

function chooseId(ids: readonly string[], asked: string): string {
  const found = ids.includes(asked) ? [asked] : ids.filter((id) => id.startsWith(asked));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw unknownRun(`There is no run "${asked}" in this project.`, ids);
  throw unknownRun(`${found.length} runs begin with "${asked}".`, found);
}

/** Last written to: a run that was gone on with is newer than its id says. */
async function lastOf(stateDir: string, ids: readonly string[]): Promise<string | undefined> {
  let last: string | undefined;
  let time = -1;
  for (const id of ids) {
    const state = await stat(journalOf(stateDir, id)).catch(() => undefined);
    if (state === undefined || state.mtimeMs < time) continue;
    last = id;
    time = state.mtimeMs;
  }
  return last;
}

export async function findRun(stateDir: string, asked: string | undefined): Promise<FoundRun> {
  const ids = await listRunIds(stateDir);
  const runId = asked === undefined ? await lastOf(stateDir, ids) : chooseId(ids, asked);
  if (runId === undefined) throw unknownRun('There has been no run in this project.', ids);
  const journal = journalOf(stateDir, runId);
  const { events } = await readJournal(journal);
  if (events[0]?.type !== 'run.started') {
    throw unknownRun(`The run ${runId} did not get as far as to start.`, ids);
  }
  checkRunId(stateDir, runId, events[0].runId);
  return { runId, journal, events };
}

/** One argument may be a run or a stream of the last run: only ids of runs begin like this. */
export function splitArguments(args: readonly string[]): { run?: string; stream?: string } {
  const [first, second] = args;
  if (first === undefined) return {};
  if (!first.startsWith('run_')) {
    if (second === undefined) return { stream: first };
    throw unknownRun(`"${first}" is not the id of a run: they begin with run_.`, []);
  }
  return { run: first, ...(second !== undefined && { stream: second }) };
}

/** Whether a process is on this run. Which one it goes on with is not known while it starts. */
export function isAtWork(stateDir: string, runId: string): boolean {
  const holder = findLockHolder(stateDir);
  return holder?.runId === runId || holder?.runId === 'starting';
}

const STATES: Record<string, RunState> = {
  'run.completed': 'complete',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
  'run.paused': 'paused',
};

export function stateOfRun(stateDir: string, run: FoundRun): RunState {
  const last = run.events.at(-1)!;
  if (isRunEnd(last)) return STATES[last.type]!;
  return isAtWork(stateDir, run.runId) ? 'running' : 'interrupted';
}
