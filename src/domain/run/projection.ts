// The progress of every stream of a run, derived from its events: what all views are drawn from.
import type { StreamStatus } from '../../manifest/model.ts';
import { ENDED, TOO_LONG, isJustEnded, outcomeOf, sandboxNote } from './command-end.ts';
import { isAfterEnd, isRunEnd } from './events.ts';
import type {
  FileChangeSummary,
  FollowUpReason,
  RunEvent,
  Rung,
  Tokens,
  WaitReason,
} from '../../contract/run-events.ts';
import type { RunEndEvent } from './events.ts';
import { newRow } from './new-row.ts';
import { addCosts, addEstimates, addTokens } from './replay.ts';

export interface StreamRow {
  id: string;
  name: string;
  wave: number;
  status: StreamStatus;
  waitsFor: readonly string[];
  /** Of a fix: the stream that it fixes. */
  fixOf: string | undefined;
  fixes: string[];
  attempt: number;
  /** Of a fix: which attempt at its stream this is, and how many there may be. */
  round: { attempt: number; of: number } | undefined;
  /** Of a stream with several models: which one it asks, or asked last. */
  rung: Rung | undefined;
  tokens: Tokens;
  costUsd: number | null;
  /** Of an agent with the person's own login, by its own word; undefined where none worked on it. */
  estimatedUsd: number | null | undefined;
  /** What answers would have cost that were there already; undefined when there were none. */
  savedUsd: number | undefined;
  /** Of the answer that is being written. */
  liveTokens: number;
  openCalls: number;
  /** Set while it waits for something other than streams. */
  waiting: StreamWait | undefined;
  /** Why the call that is under way is not the first. */
  followUp: FollowUpReason | undefined;
  startedAt: number | undefined;
  durationMs: number;
  /** The command that runs. */
  command: string | undefined;
  /** Who works on it; undefined for a model that answers. */
  agent: string | undefined;
  /** What its agent was seen to do last, while it works. */
  activity: string | undefined;
  /** What its agent has changed so far, while it works. */
  changing: Extract<RunEvent, { type: 'agent.changed' }> | undefined;
  failedCommand: { command: string; outcome: string; output: string } | undefined;
  error: string | undefined;
  failureClass: string | undefined;
  changes: readonly FileChangeSummary[];
  /** A person did not approve it: skipped, and nothing builds on it. */
  isDenied: boolean;
}

export interface StreamWait {
  reason: WaitReason;
  /** When it is over, where that is known. */
  until: number | undefined;
  detail: string | undefined;
}

export interface RunProjection {
  runId: string;
  manifest: string;
  file: string;
  model: string;
  simulated: boolean;
  /** Flags that it was started with, to resume it. */
  args: readonly string[];
  /** Where its commands run in the sandbox: what they may reach. */
  sandbox: { hosts: readonly string[] } | undefined;
  /** The branch that it works on; undefined where it writes the person's own files. */
  branch: string | undefined;
  commits: number;
  /** Its agents can do whatever the person can. */
  agentsWithoutSandbox: boolean;
  startedAt: number;
  /** When the last thing happened. */
  lastAt: number;
  streams: Map<string, StreamRow>;
  end: RunEndEvent | undefined;
  /** Its process is gone, and it never came to an end. */
  isCutOff: boolean;
  /** What it wrote was reverted. */
  isReverted: boolean;
  /** No stream was worked on since the run began, or was resumed. */
  isIdle: boolean;
}

/** Nobody is at work on it any more. */
export function isOver({ end, isCutOff }: RunProjection): boolean {
  return end !== undefined || isCutOff;
}

export interface Projector {
  projection: RunProjection;
  follow(event: RunEvent): void;
  /** There will be no more events, although the run did not end. */
  cutOff(): void;
}

export function createProjector(): Projector {
  const projection: RunProjection = {
    runId: '',
    manifest: '',
    file: '',
    model: '',
    simulated: false,
    args: [],
    sandbox: undefined,
    branch: undefined,
    commits: 0,
    agentsWithoutSandbox: false,
    startedAt: 0,
    lastAt: 0,
    streams: new Map(),
    end: undefined,
    isCutOff: false,
    isReverted: false,
    isIdle: true,
  };

  function rowOf(id: string): StreamRow {
    let row = projection.streams.get(id);
    if (row === undefined) projection.streams.set(id, (row = newRow(id)));
    return row;
  }

  function begin(event: Extract<RunEvent, { type: 'run.started' }>): void {
    const { runId, manifest, file, model, simulated } = event;
    Object.assign(projection, { runId, manifest, file, model, simulated, args: event.args ?? [] });
    projection.sandbox = event.sandbox;
    projection.branch = event.branch?.name;
    // Also when it is resumed with one: what was done without stays so.
    projection.agentsWithoutSandbox ||= event.agentsWithoutSandbox ?? false;
    projection.startedAt = Date.parse(event.ts);
    projection.end = undefined;
    projection.isReverted = false;
    projection.isIdle = true;
    for (const { id, name, wave, status, waitsFor } of event.streams) {
      const row = rowOf(id);
      Object.assign(row, { name, wave, waitsFor });
      // An attempt that was cut off resumes under its own number, without a new start.
      if (row.status !== 'in_progress') row.status = status;
      else row.startedAt = projection.startedAt;
    }
  }

  function stop(row: StreamRow): void {
    row.startedAt = undefined;
    row.command = undefined;
    row.liveTokens = 0;
    row.openCalls = 0;
    row.followUp = undefined;
    row.activity = undefined;
    row.changing = undefined;
  }

  function revert({ streams }: Extract<RunEvent, { type: 'run.reverted' }>): void {
    projection.isReverted = true;
    for (const row of projection.streams.values()) row.changes = [];
    for (const id of streams) Object.assign(rowOf(id), { status: 'pending', attempt: 0 });
  }

  function followStream(row: StreamRow, event: Extract<RunEvent, { stream: string }>): void {
    row.waiting = undefined;
    switch (event.type) {
      case 'stream.started':
        row.status = 'in_progress';
        row.attempt = event.attempt;
        row.rung = event.rung;
        row.agent = event.agent;
        row.startedAt = Date.parse(event.ts);
        row.error = undefined;
        row.failedCommand = undefined;
        row.isDenied = false;
        row.changing = undefined;
        return;
      case 'stream.call':
        row.openCalls += 1;
        row.followUp = event.asks ?? (event.call > 1 && !event.turn ? 'again' : undefined);
        return;
      case 'stream.waiting': {
        const until = event.until === undefined ? undefined : Date.parse(event.until);
        row.waiting = { reason: event.reason, until, detail: event.detail };
        return;
      }
      case 'stream.context':
        return;
      case 'stream.progress':
        row.liveTokens = event.outputTokens;
        return;
      case 'stream.answer':
        row.tokens = addTokens(row.tokens, event.tokens);
        row.costUsd = addCosts(row.costUsd, event.costUsd);
        row.estimatedUsd = addEstimates(row.estimatedUsd, event.estimatedUsd);
        row.liveTokens = 0;
        row.followUp = undefined;
        row.openCalls = Math.max(0, row.openCalls - 1);
        return;
      case 'stream.cached':
        row.savedUsd = (row.savedUsd ?? 0) + (event.savedUsd ?? 0);
        return;
      case 'agent.turn':
        row.activity = `turn ${event.turn}`;
        return;
      case 'agent.tool':
        row.activity = `${event.name} ${event.argument}`.trim();
        return;
      case 'agent.session':
      case 'agent.refused':
      case 'agent.message':
      case 'agent.thought':
        return;
      case 'agent.changed':
        row.changing = event;
        return;
      case 'stream.applied':
        row.changes = event.files;
        row.changing = undefined;
        row.activity = undefined;
        return;
      case 'stream.rolled_back':
        row.changes = [];
        return;
      case 'stream.committed':
        projection.commits += 1;
        return;
      case 'command.started':
        row.command = event.command + sandboxNote(event);
        return;
      case 'command.finished':
        row.command = undefined;
        if (event.ok || !event.critical) return;
        row.failedCommand ??= {
          command: event.command,
          outcome: outcomeOf(event),
          output: event.output ?? '',
        };
        return;
      case 'stream.completed':
        row.status = 'complete';
        row.durationMs += event.durationMs;
        row.error = undefined;
        return stop(row);
      case 'stream.failed':
        row.status = 'failed';
        row.durationMs += event.durationMs;
        row.error = event.error;
        row.failureClass = event.class;
        // Its command was not stopped by anybody: the time of the stream was over.
        if (event.class === 'timeout' && isJustEnded(row.failedCommand?.outcome)) {
          row.failedCommand!.outcome = row.failedCommand!.outcome.replace(ENDED, TOO_LONG);
        }
        return stop(row);
      case 'stream.denied':
        row.status = 'skipped';
        row.durationMs += event.durationMs;
        row.error = event.error;
        row.isDenied = true;
        return stop(row);
      case 'stream.postponed':
        row.status = 'pending';
        return stop(row);
      case 'stream.fix': {
        const { fix, attempt, of } = event;
        if (!row.fixes.includes(fix)) row.fixes.push(fix);
        Object.assign(rowOf(fix), { fixOf: row.id, wave: row.wave, round: { attempt, of } });
        return;
      }
      case 'stream.status':
        row.status = event.to;
        return;
      case 'stream.job':
        return;
      default:
      // Of a newer version.
    }
  }

  return {
    projection,
    follow(event) {
      projection.lastAt = Date.parse(event.ts);
      if (event.type === 'run.started') begin(event);
      else if (event.type === 'run.reverted') revert(event);
      else if (event.type === 'run.reviewed') {
        if (!isAfterEnd(event)) projection.end = undefined;
      } else if (isRunEnd(event)) {
        projection.end = event as RunEndEvent;
        // A run that is paused leaves streams in the middle: nobody works at them now.
        for (const row of projection.streams.values()) row.startedAt = undefined;
      } else if ('stream' in event) {
        // Its state alone changes also where it is only left out.
        if (event.type !== 'stream.status') projection.isIdle = false;
        followStream(rowOf(event.stream), event);
      }
    },
    cutOff() {
      projection.isCutOff = projection.end === undefined;
    },
  };
}

/** Its own work and that of its fixes is over, as far as can be seen. */
export function isSettled({ streams }: RunProjection, row: StreamRow): boolean {
  if (row.status === 'complete' || row.status === 'skipped') return true;
  if (row.status === 'failed') {
    return row.fixes.every((id) => streams.get(id)?.status === 'failed');
  }
  return row.status === 'blocked';
}

export function isFixed({ streams }: RunProjection, row: StreamRow): boolean {
  return row.fixes.some((id) => streams.get(id)?.status === 'complete');
}

/** Of a stream that no fix could fix, the last thing that went wrong. */
export function lastTry({ streams }: RunProjection, row: StreamRow): StreamRow {
  return row.fixes.map((id) => streams.get(id)).findLast((fix) => fix?.status === 'failed') ?? row;
}

/** The attempt that completed a stream of the manifest: its own, or that of a fix. */
function passedBy({ streams }: RunProjection, row: StreamRow): StreamRow | undefined {
  if (row.status !== 'complete') return undefined;
  return row.fixes.map((id) => streams.get(id)).find((fix) => fix?.status === 'complete') ?? row;
}

/** Of streams with several models: which ones completed how many of them, most first. */
export function passedModels(projection: RunProjection): { model: string; streams: number }[] {
  const counts = new Map<string, number>();
  for (const row of projection.streams.values()) {
    const rung = row.fixOf === undefined ? passedBy(projection, row)?.rung : undefined;
    if (rung !== undefined) counts.set(rung.model, (counts.get(rung.model) ?? 0) + 1);
  }
  return [...counts]
    .map(([model, streams]) => ({ model, streams }))
    .sort((a, b) => b.streams - a.streams);
}

export function rungText({ number, of, model }: Rung): string {
  return `${model} (model ${number} of ${of})`;
}

/** Streams of the manifest by wave, without the fixes. */
export function wavesOf({ streams }: RunProjection): [number, StreamRow[]][] {
  const waves = new Map<number, StreamRow[]>();
  for (const row of streams.values()) {
    if (row.fixOf !== undefined) continue;
    const wave = waves.get(row.wave) ?? [];
    wave.push(row);
    waves.set(row.wave, wave);
  }
  return [...waves].sort(([a], [b]) => a - b);
}

export function openCallsOf({ streams }: RunProjection): number {
  let count = 0;
  for (const { openCalls } of streams.values()) count += openCalls;
  return count;
}

export function projectionOf(events: readonly RunEvent[]): RunProjection {
  const projector = createProjector();
  for (const event of events) projector.follow(event);
  return projector.projection;
}
