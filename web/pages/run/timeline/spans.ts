// What each stream did when, made from the events of its run: waiting apart from working.
import type { RunEvent } from '../../../../src/contract/run-events.ts';

export type SpanKind = 'wait' | 'work' | 'model' | 'command';

export interface Span {
  kind: SpanKind;
  from: number;
  /** Undefined while it goes on. */
  to: number | undefined;
  attempt: number;
  /** Why it waits, or which command runs. */
  detail: string;
  isFailed: boolean;
}

export interface StreamSpans {
  spans: Span[];
  /** When files were written. */
  applied: number[];
  /** When it could have started. */
  readyAt: number | undefined;
  startedAt: number | undefined;
  endedAt: number | undefined;
}

type StreamEvent = Extract<RunEvent, { stream: string }>;

interface Track extends StreamSpans {
  openCalls: number;
  /** When a wait is over that says so in advance. */
  waitUntil: number | undefined;
}

function newTrack(): Track {
  return {
    spans: [],
    applied: [],
    readyAt: undefined,
    startedAt: undefined,
    endedAt: undefined,
    openCalls: 0,
    waitUntil: undefined,
  };
}

const WAITS: Readonly<Record<string, string>> = {
  rate_limited: 'rate limit',
  key_paused: 'provider key paused',
  retry: 'retry',
  concurrency: 'no free place',
  files: 'another stream is writing',
  review: 'review',
  approval: 'approval',
};

function close(track: Track, at: number): void {
  const last = track.spans.at(-1);
  if (last === undefined || last.to !== undefined) return;
  const until = track.waitUntil;
  track.waitUntil = undefined;
  // The answer begins without an event of its own: what comes after the announced end is the model's time.
  if (last.kind === 'wait' && until !== undefined && until > last.from && until < at) {
    last.to = until;
    const kind = track.openCalls > 0 ? 'model' : 'work';
    track.spans.push({ ...last, kind, from: until, to: at, detail: '' });
    return;
  }
  last.to = at;
}

function open(track: Track, at: number, span: Pick<Span, 'kind' | 'attempt' | 'detail'>): void {
  close(track, at);
  track.spans.push({ ...span, from: at, to: undefined, isFailed: false });
}

function end(track: Track, at: number): void {
  close(track, at);
  track.endedAt = at;
  track.openCalls = 0;
}

function follow(track: Track, event: StreamEvent, at: number): void {
  const begin = (kind: SpanKind, detail = '') =>
    open(track, at, { kind, detail, attempt: 'attempt' in event ? event.attempt : 0 });
  switch (event.type) {
    case 'stream.committed':
      return;
    case 'stream.started':
      track.startedAt ??= at;
      track.endedAt = undefined;
      return begin('work');
    case 'stream.call':
      track.openCalls += 1;
      return begin('model');
    case 'stream.job':
      return begin('model');
    case 'stream.waiting':
      begin('wait', WAITS[event.reason] ?? event.reason);
      track.waitUntil = event.until === undefined ? undefined : Date.parse(event.until);
      return;
    case 'stream.answer':
      begin('work');
      track.openCalls = Math.max(0, track.openCalls - 1);
      return;
    case 'stream.applied':
      if (event.files.length > 0) track.applied.push(at);
      return begin('work');
    case 'command.started':
      return begin('command', event.command);
    case 'command.finished': {
      const last = track.spans.at(-1);
      if (last?.kind === 'command') last.isFailed = !event.ok;
      return begin('work');
    }
    case 'stream.failed': {
      const last = track.spans.at(-1);
      end(track, at);
      if (last !== undefined) last.isFailed = true;
      return;
    }
    case 'stream.completed':
    case 'stream.denied':
    case 'stream.postponed':
      return end(track, at);
    case 'agent.session':
    case 'agent.turn':
    case 'agent.tool':
    case 'agent.refused':
    case 'agent.message':
    case 'agent.thought':
    case 'agent.changed':
    case 'stream.context':
    case 'stream.cached':
    case 'stream.progress':
    case 'stream.rolled_back':
    case 'stream.status':
    case 'stream.fix':
      return;
    default:
    // Of a newer version.
  }
}

export interface RunSpans {
  startedAt: number;
  /** Of what has ended; undefined while it goes on. */
  endedAt: number | undefined;
  streams: Map<string, StreamSpans>;
}

/** Joins what follows on itself, and leaves out what is too short to see. */
function tidy(track: Track): void {
  const spans: Span[] = [];
  for (const span of track.spans) {
    const last = spans.at(-1);
    if (span.to === span.from) continue;
    const isSame =
      last?.kind === span.kind &&
      last.to === span.from &&
      last.attempt === span.attempt &&
      last.kind !== 'command' &&
      !last.isFailed;
    if (isSame) Object.assign(last, { to: span.to, isFailed: span.isFailed });
    else spans.push({ ...span });
  }
  track.spans = spans;
}

/** How long a stream waited for a place although all that it needs was there. */
function addQueueing(streams: Map<string, Track>, waitsFor: Map<string, readonly string[]>): void {
  for (const [id, track] of streams) {
    const needs = waitsFor.get(id);
    if (needs === undefined || track.startedAt === undefined) continue;
    const ends = needs.map((need) => streams.get(need)?.endedAt ?? 0);
    const readyAt = Math.max(track.readyAt ?? 0, ...ends);
    track.readyAt = readyAt;
    // A moment of the scheduler's own is nothing to wait for.
    if (track.startedAt - readyAt < 100 || readyAt === 0) continue;
    track.spans.unshift({
      kind: 'wait',
      from: readyAt,
      to: track.startedAt,
      attempt: 0,
      detail: 'no free place',
      isFailed: false,
    });
  }
}

export function spansOf(events: readonly RunEvent[]): RunSpans {
  const streams = new Map<string, Track>();
  const waitsFor = new Map<string, readonly string[]>();
  const fixOf = new Map<string, string>();
  let startedAt = 0;
  let endedAt: number | undefined;
  for (const event of events) {
    const at = Date.parse(event.ts);
    if (event.type === 'run.started') {
      startedAt ||= at;
      endedAt = undefined;
      for (const each of event.streams) {
        waitsFor.set(each.id, each.waitsFor);
        const track = streams.get(each.id) ?? newTrack();
        track.readyAt ??= at;
        streams.set(each.id, track);
      }
    } else if (event.type === 'stream.fix') fixOf.set(event.fix, event.stream);
    else if ('stream' in event) {
      const track = streams.get(event.stream) ?? newTrack();
      streams.set(event.stream, track);
      follow(track, event, at);
    } else if ('totals' in event) {
      endedAt = at;
      for (const track of streams.values()) close(track, at);
    }
  }
  // A stream that was fixed is over when its fix is.
  for (const [fix, id] of fixOf) {
    const [own, of] = [streams.get(fix), streams.get(id)];
    if (own?.endedAt !== undefined && of) of.endedAt = Math.max(of.endedAt ?? 0, own.endedAt);
  }
  for (const track of streams.values()) tidy(track);
  addQueueing(streams, waitsFor);
  return { startedAt, endedAt, streams };
}

/** Sums by kind, up to now. */
export function timesOf({ spans }: StreamSpans, now: number): Record<SpanKind, number> {
  const times = { wait: 0, work: 0, model: 0, command: 0 };
  for (const { kind, from, to } of spans) times[kind] += Math.max(0, (to ?? now) - from);
  return times;
}
