// The progress of a run, derived from its journal: what a process that resumes it has to know.
import type { StreamStatus } from '../../manifest/model.ts';
import { isSimulatedModel } from '../model/model-routing.ts';
import { isAfterEnd, isRunEnd } from './events.ts';
import type { NamedStreams, RunEvent, Tokens } from '../../contract/run-events.ts';

export interface OpenCall {
  call: number;
  key: string;
  jobId: string | undefined;
  /** The most that it can cost, when that is known. */
  reservedUsd?: number | null;
  /** Of a simulated model: nothing is charged. */
  isFree?: boolean;
  /** Its tokens are counted already. */
  isAnswered: boolean;
  /** There is an answer, not a failure. */
  isGood: boolean;
}

/** An answer to the first question of a stream, of which nothing was applied. */
export interface UnusedCall {
  attempt: number;
  call: number;
  key: string;
  jobId: string;
  /** For a user to look at; otherwise the run was stopped before anybody saw it. */
  isKept: boolean;
}

export interface StreamRecord {
  status: StreamStatus;
  attempt: number;
  /** Set while an attempt was started and not ended. */
  open: { startedAt: string; calls: OpenCall[]; applied: boolean } | undefined;
  /** Set when the stream was stopped, or kept from writing, after it was answered. */
  unused: UnusedCall | undefined;
  /** The agent that worked on it last; undefined for a model's answer. */
  agent: string | undefined;
  /** Why it was skipped; only the first two count as done for those that wait for it. */
  skippedBy: 'user' | 'selection' | 'failure' | 'denial' | undefined;
  appliedAt: string | undefined;
  error: string | undefined;
  /** Of a failure: whether a fix stream may be tried. */
  mayFix: boolean;
  /** Failures after which the next model of the ladder is asked. */
  climbs: number;
  tokens: Tokens;
  costUsd: number | null;
  knownCostUsd: number;
  unpricedCalls: number;
  /** Answers that were there already, and what they had cost. */
  cachedCalls: number;
  savedUsd: number;
  /** Of an agent with the person's own login, by its own word; undefined where none worked on it. */
  estimatedUsd: number | null | undefined;
  /** For a budget: a call of unknown cost counts with the most that it could cost. */
  chargedUsd: number;
  files: string[];
  /** Of its files, once they are one. */
  commit: string | undefined;
  durationMs: number;
}

export interface RunRecord {
  runId: string;
  lastSeq: number;
  /** How it ended; undefined while it is on, or was cut off. */
  end: RunEvent['type'] | undefined;
  startedAt: string;
  streams: Map<string, StreamRecord>;
  /** The streams that were named; undefined when none were. */
  named: NamedStreams | undefined;
  /** Fix streams that were made, with the stream that each fixes, in order. */
  fixes: Map<string, string>;
  /** Fix streams that a review has asked for and that no process has begun yet, likewise. */
  requested: Map<string, string>;
  /** What a stream had behind it when a review asked for changes of it: they get attempts of their own. */
  beforeReview: Map<string, { attempts: number; fixes: number }>;
  /** Streams that the last review has asked changes of. */
  asked: string[];
  /** A person stopped it while these changes were being made: they are made when it is resumed. */
  isRoundStopped: boolean;
  /** Its commands run in the sandbox. */
  isSandboxed: boolean;
  /** Processes that have worked on it, one after the other. */
  starts: number;
}

export const NO_TOKENS: Readonly<Tokens> = { input: 0, output: 0, cachedInput: 0 };

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cachedInput: a.cachedInput + b.cachedInput,
  };
}

/** A sum with a part that is not known is not known. */
export function addCosts(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** Undefined is of those who do not estimate. */
export function addEstimates(
  a: number | null | undefined,
  b: number | null | undefined,
): number | null | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return addCosts(a, b);
}

function newRecord(): StreamRecord {
  return {
    status: 'pending',
    attempt: 0,
    open: undefined,
    unused: undefined,
    agent: undefined,
    skippedBy: undefined,
    appliedAt: undefined,
    error: undefined,
    mayFix: false,
    climbs: 0,
    tokens: { ...NO_TOKENS },
    costUsd: 0,
    knownCostUsd: 0,
    unpricedCalls: 0,
    cachedCalls: 0,
    savedUsd: 0,
    estimatedUsd: undefined,
    chargedUsd: 0,
    files: [],
    commit: undefined,
    durationMs: 0,
  };
}

export interface Replay {
  record: RunRecord;
  /** How far the journal is whole. */
  bytes: number;
  follow(event: RunEvent): void;
}

/** Of a run that has not begun yet, the id that it will have. */
export function createReplay(events: readonly RunEvent[], bytes = 0, runId = ''): Replay {
  const [first] = events;
  const record: RunRecord = {
    runId: first?.type === 'run.started' ? first.runId : runId,
    lastSeq: 0,
    end: undefined,
    startedAt: first?.ts ?? '',
    streams: new Map(),
    named: undefined,
    fixes: new Map(),
    requested: new Map(),
    beforeReview: new Map(),
    asked: [],
    isRoundStopped: false,
    isSandboxed: false,
    starts: 0,
  };
  const replay: Replay = {
    record,
    bytes,
    follow(event) {
      record.lastSeq = event.seq;
      if (record.startedAt === '') record.startedAt = event.ts;
      if (!isAfterEnd(event)) {
        record.end = isRunEnd(event) ? event.type : undefined;
        // With a reason it was closed: nothing more of it will be done.
        record.isRoundStopped =
          event.type === 'run.cancelled' && event.reason === undefined && hasOpenRound(record);
      }
      follow(record, event);
    },
  };
  for (const event of events) replay.follow(event);
  return replay;
}

function streamOf(record: RunRecord, id: string): StreamRecord {
  let stream = record.streams.get(id);
  if (stream === undefined) record.streams.set(id, (stream = newRecord()));
  return stream;
}

function unusedCall({ attempt, open }: StreamRecord, isKept: boolean): UnusedCall | undefined {
  // What a second question was about is known only to the process that tried the first answer.
  const first = open?.calls.findLast(({ call }) => call === 1);
  if (first?.jobId === undefined || !first.isGood) return undefined;
  const { call, key, jobId } = first;
  return { attempt, call, key, jobId, isKept };
}

/** A fix that is complete completes the stream that it fixes. */
export function applyFix(record: RunRecord, fixId: string): void {
  const fix = record.streams.get(fixId);
  const root = record.streams.get(record.fixes.get(fixId) ?? '');
  if (fix?.status !== 'complete' || root === undefined) return;
  root.status = 'complete';
  root.appliedAt = fix.appliedAt;
  root.error = undefined;
}

/** A stream of the manifest and its fixes, in the order in which they were made. */
export function chainOf({ streams, fixes }: RunRecord, root: string): StreamRecord[] {
  const ids = [root, ...[...fixes].flatMap(([fix, of]) => (of === root ? [fix] : []))];
  return ids.flatMap((id) => streams.get(id) ?? []);
}

export function attemptsOf(chain: readonly StreamRecord[]): number {
  return chain.reduce((sum, { attempt }) => sum + attempt, 0);
}

/** Attempts that count against the most that there may be. */
export function attemptsSinceReview({ beforeReview }: RunRecord, root: string, attempts: number) {
  return attempts - (beforeReview.get(root)?.attempts ?? 0);
}

/** The attempts whose failures a fix should know of. */
export function chainSinceReview(record: RunRecord, root: string): string[] {
  const own = [...record.fixes].flatMap(([fix, of]) => (of === root ? [fix] : []));
  const before = record.beforeReview.get(root);
  return before === undefined ? [root, ...own] : own.slice(before.fixes);
}

export function climbsOf(chain: readonly StreamRecord[]): number {
  return chain.reduce((sum, { climbs }) => sum + climbs, 0);
}

function skipperOf({ stream, cause }: { stream: string; cause: string }): 'user' | 'failure' {
  return cause === stream ? 'user' : 'failure';
}

/** What it has behind it does not count against what is asked for now. */
export function beginAnew(record: RunRecord, root: string): void {
  const chain = chainOf(record, root);
  const fixes = Math.max(0, chain.length - 1);
  record.beforeReview.set(root, { attempts: attemptsOf(chain), fixes });
}

function hasOpenRound(record: RunRecord): boolean {
  const requested = new Set(record.requested.values());
  return record.asked.some((root) => {
    const status = chainOf(record, root).at(-1)?.status;
    return requested.has(root) || status === 'pending' || status === 'in_progress';
  });
}

/** Cut off, paused, or stopped in the middle of what a review has asked for: the next process resumes it. */
export const isResumable = ({ end, isRoundStopped }: RunRecord): boolean =>
  end === undefined || end === 'run.paused' || isRoundStopped;

function request(
  record: RunRecord,
  { fixes = [] }: Extract<RunEvent, { type: 'run.reviewed' }>,
): void {
  if (fixes.length > 0) record.asked = fixes.map(({ stream }) => stream);
  for (const { stream, fix } of fixes) {
    record.requested.set(fix, stream);
    beginAnew(record, stream);
  }
}

function follow(record: RunRecord, event: RunEvent): void {
  if (event.type === 'run.started') {
    record.named = event.named;
    record.isSandboxed = event.sandbox !== undefined;
    record.starts += 1;
    for (const { id, status, leftOut } of event.streams) {
      // What was cut off stays as it was: the attempt resumes.
      const stream = streamOf(record, id);
      if (stream.open) continue;
      // Why it was skipped before is known better from when it happened.
      if (leftOut) stream.skippedBy = 'selection';
      else if (status !== 'skipped') stream.skippedBy = undefined;
      else stream.skippedBy ??= 'user';
      stream.status = status;
    }
    return;
  }
  if (event.type === 'run.reviewed') return request(record, event);
  if (event.type === 'run.reverted') {
    record.asked = [];
    record.isRoundStopped = false;
  }
  if (!('stream' in event)) return;
  const stream = streamOf(record, event.stream);
  switch (event.type) {
    case 'stream.started':
      stream.status = 'in_progress';
      stream.attempt = event.attempt;
      stream.error = undefined;
      stream.open = { startedAt: event.ts, calls: [], applied: false };
      stream.unused = undefined;
      stream.agent = event.agent;
      return;
    case 'stream.call': {
      const { call, key, reservedUsd, model } = event;
      const nothing = { jobId: undefined, isAnswered: false, isGood: false };
      stream.open?.calls.push({
        call,
        key,
        reservedUsd,
        isFree: isSimulatedModel(model ?? ''),
        ...nothing,
      });
      return;
    }
    case 'stream.job': {
      const open = stream.open?.calls.findLast(({ call }) => call === event.call);
      if (open) open.jobId = event.jobId;
      return;
    }
    case 'stream.answer': {
      stream.tokens = addTokens(stream.tokens, event.tokens);
      stream.costUsd = addCosts(stream.costUsd, event.costUsd);
      stream.knownCostUsd += event.costUsd ?? 0;
      if (event.costUsd === null) stream.unpricedCalls += 1;
      stream.estimatedUsd = addEstimates(stream.estimatedUsd, event.estimatedUsd);
      const open = stream.open?.calls.findLast(({ call }) => call === event.call);
      if (open?.isFree !== true) stream.chargedUsd += event.costUsd ?? open?.reservedUsd ?? 0;
      if (open) Object.assign(open, { isAnswered: true, isGood: event.ok });
      return;
    }
    case 'stream.cached':
      stream.cachedCalls += 1;
      stream.savedUsd += event.savedUsd ?? 0;
      return;
    case 'stream.applied':
      if (stream.open) stream.open.applied = true;
      stream.files = event.files.map(({ path }) => path);
      return;
    case 'stream.rolled_back':
      if (stream.open) stream.open.applied = false;
      stream.files = [];
      return;
    case 'stream.committed':
      stream.commit = event.commit;
      return;
    case 'stream.completed':
      stream.unused = event.kept ? unusedCall(stream, true) : undefined;
      stream.status = 'complete';
      stream.appliedAt = event.appliedAt;
      stream.files = event.files;
      stream.durationMs += event.durationMs;
      stream.open = undefined;
      return;
    case 'stream.failed':
      stream.status = 'failed';
      stream.error = event.error;
      stream.mayFix = event.mayFix;
      if (event.climbs) stream.climbs += 1;
      stream.durationMs += event.durationMs;
      stream.open = undefined;
      if (event.class === 'review') {
        beginAnew(record, record.fixes.get(event.stream) ?? event.stream);
      }
      return;
    case 'stream.denied':
      stream.status = 'skipped';
      stream.skippedBy = 'denial';
      stream.error = event.error;
      stream.durationMs += event.durationMs;
      stream.open = undefined;
      return;
    case 'stream.postponed':
      stream.unused = unusedCall(stream, false);
      stream.status = 'pending';
      stream.open = undefined;
      return;
    case 'stream.fix':
      record.requested.delete(event.fix);
      record.fixes.set(event.fix, event.stream);
      streamOf(record, event.fix);
      return;
    case 'stream.status':
      stream.status = event.to;
      stream.skippedBy = event.to === 'skipped' ? skipperOf(event) : undefined;
      if (record.fixes.get(event.cause) === event.stream) applyFix(record, event.cause);
      return;
    case 'stream.context':
    case 'stream.waiting':
    case 'stream.progress':
    case 'agent.session':
    case 'agent.turn':
    case 'agent.tool':
    case 'agent.refused':
    case 'agent.message':
    case 'agent.thought':
    case 'agent.changed':
    case 'command.started':
    case 'command.finished':
  }
}
