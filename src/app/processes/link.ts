// A process's end of the pipe to its siblings (sibling-hub): lines of the form `kind|payload`. What is
// sent may be lost with a process; nothing that must not be lost goes this way.
import type { Duplex } from 'node:stream';

export interface Link {
  /** Reaches all siblings; the payload has no line break. */
  send(kind: string, payload: string): void;
  on(kind: string, handler: (payload: string) => void): void;
}

export function openLink(pipe: Duplex): Link {
  // The pipe ends with the supervisor, and then so do we.
  pipe.setEncoding('utf8').on('error', () => pipe.destroy());
  const handlers = new Map<string, (payload: string) => void>();
  let begun = '';
  pipe.on('data', (chunk: string) => {
    const lines = (begun + chunk).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) {
      const bar = line.indexOf('|');
      handlers.get(line.slice(0, bar))?.(line.slice(bar + 1));
    }
  });
  return {
    send(kind, payload) {
      if (pipe.writable) pipe.write(`${kind}|${payload}\n`);
    },
    on: (kind, handler) => void handlers.set(kind, handler),
  };
}
