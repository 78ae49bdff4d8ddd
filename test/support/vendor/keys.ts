import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorKind } from './error-kinds.ts';
import type { Vendor } from './vendors.ts';

/** A restricted key may generate but not list models. */
export type AcceptedKey = string | { key: string; restricted?: boolean };

export interface KeyRing {
  set(vendor: Vendor, keys: readonly AcceptedKey[] | 'any'): void;
  /** Why the key is refused, or undefined. */
  check(vendor: Vendor, key: string | undefined, use: 'generate' | 'list'): ErrorKind | undefined;
  reset(): void;
}

export function createKeyRing(): KeyRing {
  const rings = new Map<Vendor, Map<string, { restricted?: boolean }>>();
  return {
    set(vendor, keys) {
      if (keys === 'any') rings.delete(vendor);
      else rings.set(vendor, new Map(keys.map((key) => entry(key))));
    },
    check(vendor, key, use) {
      const ring = rings.get(vendor);
      // A server of one's own asks for a key only when it was started with one.
      if (key === undefined) return ring || vendor !== 'compatible' ? 'no-key' : undefined;
      if (!ring) return undefined;
      const known = ring.get(key);
      if (!known) return 'bad-key';
      return known.restricted && use === 'list' ? 'restricted-key' : undefined;
    },
    reset: () => rings.clear(),
  };
}

function entry(key: AcceptedKey): [string, { restricted?: boolean }] {
  return typeof key === 'string' ? [key, {}] : [key.key, key];
}

/** The key where the vendor looks for it. */
export function keyOf(vendor: Vendor, headers: IncomingHttpHeaders, url: URL): string | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (vendor === 'anthropic') return single(headers['x-api-key']) ?? bearer;
  if (vendor === 'google') {
    return single(headers['x-goog-api-key']) ?? (url.searchParams.get('key') || undefined);
  }
  return bearer;
}

function single(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header) || undefined;
}
