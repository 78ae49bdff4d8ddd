// COPY over a connection of the driver, which knows the messages but has no streams for them. Whole tables
// pass through, so both directions wait for the slower side.
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** What is handed on at a time; rows may begin in one block and end in the next. */
const BLOCK_BYTES = 64 * 1024;
/** The database waits while this much has not been taken. */
const AHEAD_BLOCKS = 16;

/** The part of the driver's connection that is used here. */
interface Wire {
  stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

interface CommandComplete {
  text: string;
}

/** What every statement of the driver has to answer to. */
abstract class Copy {
  readonly #text: string;
  rows = 0;

  constructor(text: string) {
    this.#text = text;
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire;
    this.begun(wire);
    wire.query(this.#text);
  }

  protected abstract begun(wire: Wire): void;
  protected abstract ended(error?: Error): void;

  // As in "COPY 42".
  handleCommandComplete({ text }: CommandComplete): void {
    this.rows = Number(text.split(' ').at(-1));
  }

  handleReadyForQuery(): void {
    this.ended();
  }

  handleError(error: Error): void {
    this.ended(error);
  }
}

class CopyOut extends Copy {
  #wire: Wire | undefined;
  #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #filled = 0;
  readonly #ready: Buffer[] = [];
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  protected override begun(wire: Wire): void {
    this.#wire = wire;
  }

  // Copied, because the driver uses its memory again.
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.copy(this.#block, this.#filled, at);
      at += taken;
      this.#filled += taken;
      if (this.#filled === BLOCK_BYTES) this.#handOn();
    }
    if (this.#ready.length >= AHEAD_BLOCKS) this.#wire?.stream.pause();
  }

  #handOn(): void {
    if (this.#filled === 0) return;
    this.#ready.push(this.#block.subarray(0, this.#filled));
    this.#block = Buffer.allocUnsafe(BLOCK_BYTES);
    this.#filled = 0;
    this.#wake?.();
  }

  protected override ended(error?: Error): void {
    this.#error ??= error;
    this.#handOn();
    this.#isOver = true;
    this.#wake?.();
  }

  async *blocks(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const block = this.#ready.shift();
        if (block !== undefined) {
          if (this.#ready.length < AHEAD_BLOCKS) this.#wire?.stream.resume();
          yield block;
        } else if (this.#isOver) {
          if (this.#error) throw this.#error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      // Nobody wants the rest, and there is no other way to say so.
      if (!this.#isOver) this.#wire?.stream.destroy();
    }
  }
}

class CopyIn extends Copy {
  readonly #source: AsyncIterable<Buffer>;
  readonly #over = new AbortController();
  #sending: Promise<void> | undefined;
  #failure: Error | undefined;
  readonly #done = Promise.withResolvers<void>();

  constructor(text: string, source: AsyncIterable<Buffer>) {
    super(text);
    this.#source = source;
  }

  protected override begun(): void {}

  handleCopyInResponse(connection: pg.Connection): void {
    this.#sending = this.#send(connection as unknown as Wire);
  }

  async #send(wire: Wire): Promise<void> {
    try {
      for await (const block of this.#source) {
        wire.sendCopyFromChunk(block);
        if (wire.stream.writableNeedDrain) {
          await once(wire.stream, 'drain', { signal: this.#over.signal });
        }
      }
      wire.endCopyFrom();
    } catch (error) {
      if (!this.#over.signal.aborted) this.#failure = error as Error;
      wire.sendCopyFail('the source ended');
    }
  }

  protected override ended(error?: Error): void {
    this.#over.abort();
    if (error) this.#done.reject(error);
    else this.#done.resolve();
  }

  /** What stopped the source is the reason, not what the database makes of it. */
  async finished(): Promise<void> {
    try {
      await this.#done.promise;
    } catch (error) {
      await this.#sending;
      throw this.#failure ?? error;
    }
  }
}

/** The rows of a query as COPY's text; `rows` gets their number at the end. */
export async function* copyOut(
  client: pg.Client,
  query: string,
  onEnd: (rows: number) => void,
): AsyncGenerator<Buffer> {
  const copy = new CopyOut(`copy (${query}) to stdout`);
  client.query(copy);
  yield* copy.blocks();
  onEnd(copy.rows);
}

/** Returns the number of rows. `into` is a table, with its columns. */
export async function copyIn(
  client: pg.Client,
  into: string,
  source: AsyncIterable<Buffer>,
): Promise<number> {
  const copy = new CopyIn(`copy ${into} from stdin`, source);
  client.query(copy);
  await copy.finished();
  return copy.rows;
}
