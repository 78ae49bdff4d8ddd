// Wake-ups between the processes of a server.
import { SIGNALS } from '../../store/postgres/signal-names.ts';
import type { SignalName } from '../../store/postgres/signal-names.ts';
import type { SignalLink } from '../../store/postgres/signals.ts';
import type { Link } from './link.ts';

export function createSignalLink(link: Link): SignalLink {
  const waiting = new Map<SignalName, Set<string>>();

  function flush(): void {
    const all = [...waiting];
    waiting.clear();
    for (const [name, ids] of all) link.send(name, [...ids].join(','));
  }

  return {
    send(name, ids) {
      // What one turn of the event loop has to say is said at once: an idle process waits for nothing,
      // a busy one does not wake its siblings more often than they can look.
      if (waiting.size === 0) setImmediate(flush);
      const known = waiting.get(name) ?? new Set();
      waiting.set(name, known);
      for (const id of ids) known.add(id);
    },
    onReceive(handler) {
      for (const name of Object.keys(SIGNALS) as SignalName[]) {
        link.on(name, (ids) => handler(name, ids === '' ? [] : ids.split(',')));
      }
    },
  };
}
