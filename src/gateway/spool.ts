// Bodies of calls while they wait and are sent. Most are small and stay in memory; a large one is kept in a private file
// that has no name any more, so that it is gone with the process whatever becomes of it.
import { randomBytes } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { CallRefusal } from './refusal.ts';

const MIB = 1024 * 1024;
export const MAX_BODY = 32 * MIB;
/** A body that is too large is read to its end, so that its client sees why; one larger than this is not. */
const MOST_READ = 64 * MIB;
const KEPT_IN_MEMORY = MIB;
/** Of all calls of one process, in memory and in files: both fill up, and a vendor that stalls keeps them full. */
const MOST_HELD = 64 * MIB;

const DECODERS: Readonly<
  Record<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

export interface SpooledBody {
  /** As it was sent. */
  readonly bytes: number;
  /** To be sent again, as often as needed. */
  content(): Uint8Array | (() => AsyncIterable<Uint8Array>);
  /** What it says, decoded: held by one call at a time where it is large. */
  read<T>(use: (decoded: Buffer) => T): Promise<T>;
  /** Other bytes in its place. */
  replace(body: Buffer): Promise<void>;
  /** It is not sent again: let go of it as soon as what is on its way has gone out. */
  sent(): Promise<void>;
  /** Let go of it at once. */
  release(): Promise<void>;
}

export interface Spool {
  take(source: AsyncIterable<Uint8Array>, coding: string | undefined): Promise<SpooledBody>;
}

const tooLarge = () => new CallRefusal('too_large', 'The body is larger than 32 MiB.');
const tooMany = () => {
  const message = 'This server holds as many calls as it can. Try again in a moment.';
  return new CallRefusal('unavailable', message, { retryAfterSeconds: 1 });
};

async function privateFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `millrace-call-${randomBytes(12).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function* piecesOf(file: FileHandle, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < size;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, at);
    if (bytesRead === 0) throw new Error('the file of a body is shorter than it was');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function decode(body: Buffer, coding: string | undefined): Promise<Buffer> {
  const name = (coding ?? 'identity').trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  const decoder = DECODERS[name];
  if (decoder === undefined) {
    const known = 'gzip, deflate, br or zstd, one of them';
    throw new CallRefusal(
      'coding',
      `The body is coded as "${name}". Send it plain, or as ${known}.`,
    );
  }
  try {
    return await decoder(body, { maxOutputLength: MAX_BODY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new CallRefusal('invalid', `The body is not valid ${name}.`);
  }
}

export function createSpool(): Spool {
  let heldBytes = 0;
  /** Large bodies are looked at one after the other. */
  let reading = Promise.resolve();

  /** Whether there was room for it. */
  function hold(bytes: number): boolean {
    if (heldBytes + bytes > MOST_HELD) return false;
    heldBytes += bytes;
    return true;
  }

  async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const before = reading;
    let done = (): void => undefined;
    reading = new Promise((resolve) => (done = resolve));
    await before;
    try {
      return await work();
    } finally {
      done();
    }
  }

  /** What is refused is read to its end all the same: a client that is cut off while it sends sees no answer. */
  async function collect(source: AsyncIterable<Uint8Array>) {
    const pieces: Uint8Array[] = [];
    let file: FileHandle | undefined;
    let bytes = 0;
    let held = 0;
    let refusal: CallRefusal | undefined;
    const letGo = async () => {
      heldBytes -= held;
      held = 0;
      pieces.length = 0;
      const closing = file;
      file = undefined;
      await closing?.close();
    };
    try {
      for await (const piece of source) {
        bytes += piece.length;
        if (bytes > MOST_READ) throw tooLarge();
        if (refusal !== undefined) continue;
        if (bytes > MAX_BODY) refusal = tooLarge();
        else if (hold(piece.length)) held += piece.length;
        else refusal = tooMany();
        if (refusal !== undefined) {
          await letGo();
          continue;
        }
        if (file === undefined && bytes > KEPT_IN_MEMORY) {
          file = await privateFile();
          for (const early of pieces.splice(0)) await file.write(early);
        }
        if (file === undefined) pieces.push(piece);
        else await file.write(piece);
      }
      if (refusal !== undefined) throw bytes > MAX_BODY ? tooLarge() : refusal;
      return { file, bytes, memory: Buffer.concat(pieces) };
    } catch (error) {
      await letGo();
      throw error;
    }
  }

  return {
    async take(source, coding) {
      const collected = await collect(source);
      let { file, bytes } = collected;
      let memory: Buffer = collected.memory;
      let held = bytes;
      let readers = 0;
      let isSent = false;
      const letGo = async () => {
        heldBytes -= held;
        held = 0;
        memory = Buffer.alloc(0);
        const closing = file;
        file = undefined;
        await closing?.close();
      };
      async function* readOut(from: FileHandle, size: number): AsyncIterable<Uint8Array> {
        readers += 1;
        try {
          yield* piecesOf(from, size);
        } finally {
          readers -= 1;
          if (isSent && readers === 0) await letGo();
        }
      }
      const whole = async () => {
        if (file === undefined) return memory;
        const pieces: Uint8Array[] = [];
        for await (const piece of piecesOf(file, bytes)) pieces.push(piece);
        return Buffer.concat(pieces);
      };
      let currentCoding = coding;
      return {
        get bytes() {
          return bytes;
        },
        content() {
          if (file === undefined) return memory;
          const [from, size] = [file, bytes];
          return () => readOut(from, size);
        },
        read(use) {
          const look = async () => use(await decode(await whole(), currentCoding));
          const isSmall = file === undefined && currentCoding === undefined;
          return isSmall ? look() : oneAtATime(look);
        },
        async replace(body) {
          currentCoding = undefined;
          heldBytes += body.length - held;
          held = body.length;
          if (file === undefined) memory = body;
          else {
            await file.truncate(0);
            await file.write(body, 0, body.length, 0);
          }
          bytes = body.length;
        },
        async sent() {
          isSent = true;
          if (readers === 0) await letGo();
        },
        release: letGo,
      };
    },
  };
}
