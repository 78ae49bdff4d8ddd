// What a page of the dashboard needs before it can be shown, gzipped.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ASSETS = fileURLToPath(new URL('../../dist/web/assets/', import.meta.url));
const NEEDS = /(?:from|import)\s*"\.\/([^"]+\.js)"/g;

/** The file and what it imports, without what comes later. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(join(ASSETS, name), 'utf8');
  for (const [, needed] of text.matchAll(NEEDS)) withImports(needed!, found);
  return found;
}

const sizeOf = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0);

/** The script that the page itself names. */
function entry(): string {
  const html = readFileSync(join(ASSETS, '..', 'index.html'), 'utf8');
  return /src="\/assets\/([^"]+\.js)"/.exec(html)![1]!;
}

export function shellSize(): number {
  return sizeOf(withImports(entry()));
}

export function pageSize(page: string): number {
  const chunk = readdirSync(ASSETS).find(
    (name) => name.startsWith(`${page}-`) && name.endsWith('.js'),
  );
  return sizeOf(withImports(chunk!, withImports(entry())));
}
