// The name of a file behind a fence: ```ts src/a.ts, ```src/a.ts, ```ts:src/a.ts, ```ts title="src/a.ts".
import { cleanPath, isPathLike } from './header-line.ts';

const NAMED = /(?:^|[\s{])(?:title|file|filename|filepath|path|name)=["']?([^"'\s}]{1,300})/i;
/** Names of languages and frameworks that look like names of files. */
const LANGUAGES = new Set([
  'node.js',
  'vue.js',
  'next.js',
  'react.js',
  'asp.net',
  'vb.net',
  'express.js',
  'd3.js',
]);

export function fencePath(info: string): { path: string; isNew: boolean } | undefined {
  if (info === '' || info.length > 1000) return undefined;
  const isNew = /\bnew\b/i.test(info);
  const named = NAMED.exec(info)?.[1];
  if (named !== undefined)
    return isPathLike(named) ? { path: cleanPath(named).path, isNew } : undefined;
  // `12:15:src/a.ts` quotes lines of a file.
  if (/^\d+:\d+:/.test(info)) return undefined;
  const [first = '', second = ''] = info.split(/\s+/);
  const colon = first.indexOf(':');
  const candidates = [colon > 0 ? first.slice(colon + 1) : first, second];
  for (const candidate of candidates) {
    const { path } = cleanPath(candidate);
    if (isPathLike(path) && !LANGUAGES.has(path.toLowerCase())) return { path, isNew };
  }
  return undefined;
}
