// A process's end of the pipe on which siblings wake each other (signal-hub).
import { Socket } from 'node:net';
import { SIGNALS } from '../../store/postgres/signals.ts';
import type { SignalLink, SignalName } from '../../store/postgres/signals.ts';
import { SIGNAL_FD } from './signal-fd.ts';

/** `name|id,id`, as in a NOTIFY. */
function lineOf(name: SignalName, ids: Iterable<string>): string {
  return `${name}|${[...ids].join(',')}\n`;
}

function isName(text: string): text is SignalName {
  return Object.hasOwn(SIGNALS, text);
}

export function openSignalLink(): SignalLink {
  const socket = new Socket({ fd: SIGNAL_FD, readable: true, writable: true });
  socket.setEncoding('utf8').unref();
  // The pipe ends with the supervisor, and then so do we.
  socket.on('error', () => socket.destroy());
  const waiting = new Map<SignalName, Set<string>>();
  let receive: (name: SignalName, ids: readonly string[]) => void = () => {};

  function flush(): void {
    const text = [...waiting].map(([name, ids]) => lineOf(name, ids)).join('');
    waiting.clear();
    if (socket.writable) socket.write(text);
  }

  let begun = '';
  socket.on('data', (chunk: string) => {
    const lines = (begun + chunk).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) {
      const bar = line.indexOf('|');
      const name = line.slice(0, bar);
      const ids = line.slice(bar + 1);
      if (isName(name)) receive(name, ids === '' ? [] : ids.split(','));
    }
  });

  return {
    send(name, ids) {
      // What one turn of the event loop has to say is said at once: an idle process waits for nothing,
      // a busy one does not wake its siblings more often than they can look.
      if (waiting.size === 0) setImmediate(flush);
      const known = waiting.get(name) ?? new Set();
      waiting.set(name, known);
      for (const id of ids) known.add(id);
    },
    onReceive: (handler) => void (receive = handler),
  };
}
