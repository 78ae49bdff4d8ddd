// What runs again, what is reused, and what that may cost: told before anybody copies a command. The command
// line decides the same from the manifest in the project; here it is told from the events of the run.
import type { RunEvent } from '../../../../src/contract/run-events.ts';
import type { RunProjection, StreamRow } from '../../../../src/domain/run/projection.ts';
import { isFixed, isSettled } from '../../../../src/domain/run/projection.ts';
import { rerunWords } from '../../../../src/domain/run/resume-words.ts';
import { command } from '../../../ui/command.ts';
import type { WorkOnRun } from '../../requests/request-command.ts';
import { estimateOf } from './rerun-estimate.ts';
import type { RerunEstimate } from './rerun-estimate.ts';

export type RerunKind = 'all' | 'rest' | 'from';

export interface KnownRun {
  projection: RunProjection;
  events: readonly RunEvent[];
}

export interface RerunPlan {
  again: StreamRow[];
  /** Their work is in the project already. */
  reused: StreamRow[];
  /** Neither: skipped by a person, left out, or failed in a run that is only resumed. */
  left: StreamRow[];
  /** Undefined when nothing of this run took anything. */
  estimate: RerunEstimate | undefined;
  /** In the project. */
  command: string;
  /** The same for the runner that made the run. */
  work: WorkOnRun;
}

export function ownStreams({ streams }: RunProjection): StreamRow[] {
  return [...streams.values()].filter(({ fixOf }) => fixOf === undefined);
}

type Started = Extract<RunEvent, { type: 'run.started' }>;
const startOf = (events: readonly RunEvent[]): Started | undefined =>
  events.findLast((event) => event.type === 'run.started');

/** Undefined where it works in the files of the project. */
export const branchOf = ({ events }: Pick<KnownRun, 'events'>): string | undefined =>
  startOf(events)?.branch?.name;

/** What each depends on; who only writes the same files is run after it, but not because of it. */
function depsOf({ events }: KnownRun): (row: StreamRow) => readonly string[] {
  const after = new Map(startOf(events)?.streams.map((each) => [each.id, each.after ?? []]));
  return ({ id, waitsFor }) => waitsFor.filter((each) => !after.get(id)?.includes(each));
}

/** The stream and everything that depends on it, directly or not. */
function withDependents(run: KnownRun, from: string): Set<string> {
  const rows = ownStreams(run.projection);
  const deps = depsOf(run);
  const found = new Set([from]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const row of rows) if (deps(row).some((id) => found.has(id))) found.add(row.id);
  }
  return found;
}

/** Whether nobody but a person can have skipped it: what a failure skipped gets another chance. */
function isSkippedForGood(row: StreamRow, events: readonly RunEvent[]): boolean {
  if (row.status !== 'skipped') return false;
  const change = events.findLast(
    (event) => event.type === 'stream.status' && event.stream === row.id,
  ) as Extract<RunEvent, { type: 'stream.status' }> | undefined;
  return change === undefined || change.cause === '' || change.cause === row.id;
}

const flag = (name: string, ids: readonly string[]) =>
  ids.length === 0 ? [] : [name, ids.join(',')];

interface Choice {
  /** The streams to run, as flags of the command. */
  only?: readonly string[];
  from?: readonly string[];
  isChosen: (row: StreamRow) => boolean;
}

function restOf(run: KnownRun): Choice {
  const { projection, events } = run;
  const started = startOf(events);
  const named = started?.named;
  const leftOut = new Set(started?.streams.flatMap(({ id, leftOut: is }) => (is ? [id] : [])));
  // A run that did not come to an end is resumed: what has failed for good in it stays so until it ends.
  if (projection.end === undefined || projection.end.type === 'run.paused') {
    return {
      only: named?.only ?? [],
      from: named?.from ?? [],
      isChosen: (row) => !leftOut.has(row.id) && !isSettled(projection, row),
    };
  }
  const isChosen = (row: StreamRow) =>
    !leftOut.has(row.id) &&
    row.status !== 'complete' &&
    !isFixed(projection, row) &&
    !isSkippedForGood(row, events);
  if (named === undefined) return { isChosen };
  const rest = ownStreams(projection).filter(isChosen);
  return { only: rest.map(({ id }) => id), isChosen };
}

function choiceOf(run: KnownRun, kind: RerunKind, from: string): Choice {
  switch (kind) {
    case 'rest':
      return restOf(run);
    case 'from': {
      const ids = withDependents(run, from);
      return { from: [from], isChosen: ({ id }) => ids.has(id) };
    }
    case 'all': {
      const deps = depsOf(run);
      const first = ownStreams(run.projection).filter((row) => deps(row).length === 0);
      return { from: first.map(({ id }) => id), isChosen: () => true };
    }
  }
}

/** Everything once more gets a new branch there, on which no stream is done: it names none. */
function workOf(
  run: KnownRun,
  kind: RerunKind,
  { only = [], from: [from] = [] }: Choice,
  model: string | undefined,
): WorkOnRun {
  const action = kind === 'rest' ? 'resume' : 'again';
  return {
    run: { id: run.projection.runId, action },
    ...(kind === 'all' || from === undefined ? {} : { from }),
    ...(only.length === 0 ? {} : { only: [...only] }),
    ...(model ? { model } : {}),
  };
}

/** Of a run that is asked for with another one. */
function withoutModel(args: readonly string[]): string[] {
  const at = args.indexOf('--model');
  return at === -1 ? [...args] : [...args.slice(0, at), ...args.slice(at + 2)];
}

export function planRerun(
  run: KnownRun,
  choice: { kind: RerunKind; from?: string | undefined; model?: string | undefined },
): RerunPlan {
  const { projection } = run;
  const rows = ownStreams(projection);
  const chosen = choiceOf(run, choice.kind, choice.from ?? '');
  const { only = [], from = [], isChosen } = chosen;
  const selection = [...flag('--only', only), ...flag('--from', from)];
  const isDone = (row: StreamRow) => row.status === 'complete' || isFixed(projection, row);
  const again = rows.filter(isChosen);
  const others = rows.filter((row) => !isChosen(row));
  const file = projection.file || 'millrace.yaml';
  const words = choice.model
    ? rerunWords(
        { file, args: withoutModel(projection.args) },
        ...selection,
        '--model',
        choice.model,
      )
    : rerunWords({ file, args: projection.args }, ...selection);
  return {
    again,
    reused: others.filter(isDone),
    left: others.filter((row) => !isDone(row)),
    estimate: estimateOf(projection.streams, again),
    command: command(...words),
    work: workOf(run, choice.kind, chosen, choice.model),
  };
}
