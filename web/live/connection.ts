// One event stream for everything that is followed. It is opened anew when that changes, or when the
// connection is lost, and continues where it was: the id of an event says how far each topic has come.
//
// The states that pages see:
//   connecting    From the first topic until the first stream is open.
//   live          A stream is open. A change of topics opens the next stream first and ends the one before when that is
//                 open, so the state stays live.
//   reconnecting  The stream was lost, or silent for SILENCE_MS, a moment ago. Tries follow with growing pauses.
//   offline       The same, for longer than OFFLINE_MS, or because the browser says so.
// Without topics there is no stream. A server that answers that nobody is signed in ends it for good.
import { readEventStream } from '../../src/client/event-stream.ts';
import { sessionFetch } from '../api/session-fetch.ts';
import type { ConnectionState, LiveMessage } from './protocol.ts';

export interface LiveConnection {
  follow(topics: ReadonlySet<string>): void;
  close(): void;
}

interface Deps {
  teamId: string | undefined;
  onState(state: ConnectionState): void;
  onOpened(): void;
  onMessage(message: LiveMessage): void;
  onSignedOut(): void;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
/** The server says something every 15 s, if only that it is there. */
const SILENCE_MS = 40_000;
/** Topics come and go together when a page changes. */
const SETTLE_MS = 30;
/** From then on it is no short interruption. */
const OFFLINE_MS = 15_000;

/** Positions of topics that are not followed any more are left out: they begin anew. */
function positionsOf(lastId: string, topics: ReadonlySet<string>): string {
  const known = [...new URLSearchParams(lastId)].filter(([topic]) => topics.has(topic));
  return new URLSearchParams(known).toString();
}

export function createConnection(deps: Deps): LiveConnection {
  let topics: ReadonlySet<string> = new Set();
  let lastId = '';
  let round = 0;
  /** The newest, and those before it that go on until it is open. */
  const streams = new Set<AbortController>();
  let settling: ReturnType<typeof setTimeout> | undefined;
  let lostAt: number | undefined;
  let isOpen = false;
  let wasOpen = false;

  function tell(connection: ConnectionState['connection'], since = Date.now()): void {
    deps.onState({ connection, since });
  }

  function tellLost(): void {
    lostAt ??= Date.now();
    isOpen = false;
    // Not everything that runs this can tell.
    const { onLine = true } = navigator as { onLine?: boolean };
    const isLong = Date.now() - lostAt > OFFLINE_MS || !onLine;
    tell(isLong ? 'offline' : wasOpen ? 'reconnecting' : 'connecting', lostAt);
  }

  /** All of them, or those before one: what was opened after it is newer, and goes on. */
  function endStreams(before?: AbortController): void {
    for (const stream of streams) {
      if (stream === before) return;
      stream.abort();
      streams.delete(stream);
    }
  }

  function tellOpened(): void {
    lostAt = undefined;
    // Otherwise the stream before was open until now, and told everything.
    if (!isOpen) {
      tell('live');
      deps.onOpened();
    }
    isOpen = true;
    wasOpen = true;
  }

  async function read(stream: AbortController): Promise<void> {
    const { signal } = stream;
    const silence = new AbortController();
    let watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
    const query = new URLSearchParams({ topics: [...topics].join(',') });
    try {
      const response = await sessionFetch(`/api/v1/events?${query.toString()}`, {
        headers: {
          accept: 'text/event-stream',
          ...(deps.teamId === undefined ? {} : { 'x-team-id': deps.teamId }),
          ...(lastId === '' ? {} : { 'last-event-id': lastId }),
        },
        signal: AbortSignal.any([signal, silence.signal]),
      });
      if (response.status === 401) return deps.onSignedOut();
      if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
      tellOpened();
      endStreams(stream);
      const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          clearTimeout(watchdog);
          watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
          controller.enqueue(chunk);
        },
      });
      for await (const { id, event, data } of readEventStream(response.body.pipeThrough(heard))) {
        if (signal.aborted) return;
        if (id) lastId = id;
        deps.onMessage({ event, ...(JSON.parse(data) as { topic: string; data: unknown }) });
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  async function keepReading(own: number, stream: AbortController): Promise<void> {
    for (let delay = FIRST_DELAY_MS; own === round; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
      const openedAt = Date.now();
      try {
        await read(stream);
      } catch {
        // Told below: why does not matter, there is only one thing to do.
      }
      if (own !== round) return;
      if (isOpen && Date.now() - openedAt > LONGEST_DELAY_MS) delay = FIRST_DELAY_MS;
      tellLost();
      await new Promise((resolve) => setTimeout(resolve, delay * (0.75 + Math.random() / 2)));
    }
  }

  function reopen(): void {
    // The one before goes on until the new one is open: what happens between would be told by neither. What both tell is
    // told twice, which whoever follows a topic takes.
    round += 1;
    lastId = positionsOf(lastId, topics);
    if (topics.size === 0) return endStreams();
    const stream = new AbortController();
    streams.add(stream);
    void keepReading(round, stream);
  }

  tell('connecting');
  return {
    follow(next) {
      if (next.size === topics.size && [...next].every((topic) => topics.has(topic))) return;
      topics = next;
      clearTimeout(settling);
      settling = setTimeout(reopen, SETTLE_MS);
    },
    close() {
      clearTimeout(settling);
      round += 1;
      endStreams();
    },
  };
}
