// What a client says about caching the parts of its prompt. A hint that is not understood is left
// out: it can only cost a saving, never change what the model is asked.

export type CachedPart = 'systemContent' | 'projectContext' | 'streamContext';
/** How long a part is worth keeping; `none` when it should not be cached at all. */
export type Caching = Partial<Record<CachedPart, 'none' | '5m' | '1h'>>;

const PARTS: Record<string, CachedPart> = {
  system: 'systemContent',
  systemContent: 'systemContent',
  project: 'projectContext',
  projectContext: 'projectContext',
  stream: 'streamContext',
  streamContext: 'streamContext',
};

export function isKeptForAnHour(caching: Caching): boolean {
  return Object.values(caching).includes('1h');
}

/** Reads `{ part, cacheable?, ttl? }`. */
export function readCachingHints(hints: readonly unknown[]): Caching {
  const caching: Caching = {};
  for (const hint of hints) {
    const { part, cacheable, ttl } = (hint ?? {}) as Record<string, unknown>;
    const name = typeof part === 'string' ? PARTS[part] : undefined;
    if (name === undefined) continue;
    if (cacheable === false) caching[name] = 'none';
    else if (ttl === '5m' || ttl === '1h') caching[name] = ttl;
  }
  return caching;
}
