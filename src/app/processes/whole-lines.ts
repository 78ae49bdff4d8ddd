// Reads a stream in pieces that end with a line, so that what several processes write does not mix.
import type { Readable } from 'node:stream';

const NEWLINE = 10;

/** `take` gets one or more whole lines; what follows the last one comes when the stream ends. */
export function readWholeLines(stream: Readable, take: (lines: Buffer) => void): void {
  let begun: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      take(Buffer.concat([...begun, chunk.subarray(0, end)]));
      begun = [];
    }
    if (end < chunk.length) begun.push(chunk.subarray(end));
  });
  stream.on('end', () => {
    if (begun.length > 0) take(Buffer.concat(begun));
  });
  // It ends with its process, which is noticed elsewhere.
  stream.on('error', () => stream.destroy());
}
