// Hands the wake-ups of one process to its siblings: lines on a pipe to each of them, passed on as
// they are. NOTIFY would bring them too, after a round through the database.
import type { Duplex } from 'node:stream';
import { readWholeLines } from './whole-lines.ts';

/** A process that does not read must not fill our memory; a lost wake-up delays, nothing more. */
const MOST_WAITING_BYTES = 1 << 20;

export interface SignalHub {
  add(pipe: Duplex): void;
}

export function createSignalHub(): SignalHub {
  const pipes = new Set<Duplex>();
  return {
    add(pipe) {
      pipes.add(pipe);
      pipe.on('close', () => pipes.delete(pipe));
      readWholeLines(pipe, (lines) => {
        for (const other of pipes) {
          if (other !== pipe && other.writableLength < MOST_WAITING_BYTES) other.write(lines);
        }
      });
    },
  };
}
