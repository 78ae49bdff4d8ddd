// Passes what one process sends to each of its siblings: lines on a pipe, passed on as they are.
import type { Duplex } from 'node:stream';
import { readWholeLines } from './whole-lines.ts';

/** A process that does not read must not fill our memory; one that misses a line reads the table instead. */
const MOST_WAITING_BYTES = 1 << 20;

export interface SiblingHub {
  add(name: string, pipe: Duplex): void;
}

export function createSiblingHub(): SiblingHub {
  const pipes = new Set<Duplex>();

  function tellOthers(from: Duplex, lines: Buffer | string): void {
    for (const pipe of pipes) {
      if (pipe !== from && pipe.writableLength < MOST_WAITING_BYTES) pipe.write(lines);
    }
  }

  return {
    add(name, pipe) {
      pipes.add(pipe);
      tellOthers(pipe, `joined|${name}\n`);
      pipe.on('close', () => {
        pipes.delete(pipe);
        tellOthers(pipe, `left|${name}\n`);
      });
      readWholeLines(pipe, (lines) => tellOthers(pipe, lines));
    },
  };
}
