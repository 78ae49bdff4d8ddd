import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import type { Gzip } from 'node:zlib';
import { constants, createGzip } from 'node:zlib';
import type { VendorCall } from './call-log.ts';

/** The server's end of one exchange. Every wait on it ends at once when the client has gone. */
export interface Line {
  readonly gone: boolean;
  start(status: number, headers: Readonly<Record<string, string>>): void;
  /** Waits while the client reads too slowly. */
  write(data: string | Buffer): Promise<void>;
  pause(ms: number): Promise<void>;
  untilGone(): Promise<void>;
  /** Sends everything written and a reset after it. */
  reset(): Promise<void>;
  /** Sends everything written and closes without the end that HTTP asks for. */
  cut(): Promise<void>;
  /** Whole is the answer, or it is one that lacks its end. */
  end(whole: boolean): void;
}

export interface LineMode {
  gzip?: boolean;
  /** Milliseconds between two bytes. */
  dripMs?: number;
}

export function openLine(res: ServerResponse, call: VendorCall, mode: LineMode = {}): Line {
  let gone = false;
  let ours = false;
  let whole = false;
  let gzip: Gzip | undefined;
  const sleepers = new Set<() => void>();

  res.on('close', () => {
    gone = true;
    call.endedAt = Date.now();
    call.finished = whole && res.writableFinished;
    if (!res.writableFinished && !ours) call.clientClosedAt = call.endedAt;
    gzip?.destroy();
    for (const wake of sleepers) wake();
  });
  // A client that leaves mid-write is an event of the test, not a failure of the server.
  res.on('error', () => undefined);

  async function sleep(arm: (wake: () => void) => () => void): Promise<void> {
    if (gone) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        sleepers.delete(wake);
        disarm();
        resolve();
      };
      const disarm = arm(wake);
      sleepers.add(wake);
    });
  }

  async function send(data: string | Buffer): Promise<void> {
    if (gone) return;
    call.firstByteAt ??= Date.now();
    const sink = gzip ?? res;
    if (sink.write(data)) return;
    await sleep((wake) => {
      sink.once('drain', wake);
      return () => sink.off('drain', wake);
    });
  }

  async function pause(ms: number): Promise<void> {
    if (gone || ms <= 0) return;
    await sleep((wake) => {
      const timer = setTimeout(wake, ms);
      return () => clearTimeout(timer);
    });
    // Timers fire before connections are read: a client that left meanwhile is seen first.
    await nextTurn();
  }

  async function drip(data: string | Buffer, ms: number): Promise<void> {
    for (const byte of Buffer.from(data as string)) {
      if (gone) return;
      await send(Buffer.of(byte));
      // Without the turn of the loop Node would put the bytes of one turn into one packet.
      await (ms > 0 ? pause(ms) : nextTurn());
    }
  }

  /** Until the kernel has everything: what a reset overtakes would be lost. */
  async function flushed(): Promise<void> {
    do await pause(1);
    while (!gone && (res.socket?.writableLength ?? 0) > 0);
    ours = true;
  }

  return {
    get gone() {
      return gone;
    },
    start(status, headers) {
      if (gone) return;
      call.status = status;
      res.writeHead(status, { ...headers, ...(mode.gzip && { 'content-encoding': 'gzip' }) });
      res.flushHeaders();
      if (!mode.gzip) return;
      gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.pipe(res);
    },
    write: async (data) => (mode.dripMs === undefined ? send(data) : drip(data, mode.dripMs)),
    pause,
    untilGone: async () => sleep(() => () => undefined),
    async reset() {
      await flushed();
      res.socket?.resetAndDestroy();
    },
    async cut() {
      await flushed();
      res.socket?.destroy();
    },
    end(isWhole) {
      whole = isWhole;
      (gzip ?? res).end();
    },
  };
}
