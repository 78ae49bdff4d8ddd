// Names into addresses for calls to users' URLs.
import { Resolver, lookup } from 'node:dns/promises';

/** Every address of a name; rejects when it has none. */
export type ResolveTarget = (hostname: string) => Promise<string[]>;

const TIMEOUT_MS = 1500;
const TRIES = 2;

/**
 * Asks name servers directly. The system's own look-up works in four threads for the whole
 * process: a few names whose servers are silent would hold up every other one for seconds.
 */
export function publicResolver(): ResolveTarget {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const found = [four, six].flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
    if (found.length === 0 && four.status === 'rejected') throw four.reason;
    return found;
  };
}

/** As the machine sees names, its hosts file included: for development. */
export const systemResolver: ResolveTarget = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
