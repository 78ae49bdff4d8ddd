// Every tab hears what a run asks. Where none of them is in view, one notifies the person.
import type { FromWorker } from './protocol.ts';

interface Client {
  send(message: FromWorker): void;
}

/** Tabs in the background are slow, more so on a busy machine: until then each has said whether it is in view. */
const COLLECT_MS = 3000;
const MOST_KNOWN = 1000;

export interface AskedOnce {
  receive(client: Client, asked: { id: string; isHidden: boolean }): void;
}

export function createAskedOnce(isThere: (client: Client) => boolean): AskedOnce {
  /** Of each question, who may notify; undefined once that is settled, or somewhere it is in view. */
  const known = new Map<string, Set<Client> | undefined>();

  function settle(id: string): void {
    const [first] = [...(known.get(id) ?? [])].filter(isThere);
    known.set(id, undefined);
    first?.send({ kind: 'notify', id });
  }

  return {
    receive(client, { id, isHidden }) {
      if (!known.has(id)) {
        known.set(id, new Set());
        for (const oldest of known.keys()) {
          if (known.size <= MOST_KNOWN) break;
          known.delete(oldest);
        }
        setTimeout(settle, COLLECT_MS, id);
      }
      if (isHidden) known.get(id)?.add(client);
      else known.set(id, undefined);
    },
  };
}
