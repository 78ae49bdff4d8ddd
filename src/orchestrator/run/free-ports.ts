// Ports for the commands of a stream: what checks itself by starting a server needs some that no
// other stream uses, also while several are checked at once.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** How many each may count on, from its base. */
export const PORT_COUNT = 20;

/** Below those that systems hand out by themselves. */
const FIRST = 20_000;
const RANGES = 500;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

async function areFree(base: number): Promise<boolean> {
  for (let port = base; port < base + PORT_COUNT; port++) if (!(await isFree(port))) return false;
  return true;
}

/** Runs that look at the same time begin at different places. */
export function createPortRanges(start = process.pid) {
  const bases = new Map<number, number>();
  let next = start % RANGES;
  return async (place: number): Promise<number> => {
    const known = bases.get(place);
    if (known !== undefined && (await areFree(known))) return known;
    for (let tries = 0; tries < RANGES; tries++) {
      const base = FIRST + (next++ % RANGES) * PORT_COUNT;
      if ([...bases.values()].includes(base) || !(await areFree(base))) continue;
      bases.set(place, base);
      return base;
    }
    return FIRST;
  };
}
