import { checkPath } from '../../domain/artifact/check-path.ts';

const MAX_FILES = 20;
const HEADING = /^[ \t]*(?:#+[ \t]*)?(?:owns|owned files)[ \t]*:[ \t]*(.*)$/gim;
const ITEM = /^[ \t]*[-*][ \t](.*)$/;

/**
 * The files that the prompt gives to the stream, or one file of the simulator's own. Read from the
 * last line `owns: a.ts, b.ts` or `Owned files:`, or from the list items below such a line; the last,
 * because what the prompt says about its own task stands after the context.
 */
export function ownedFiles(prompt: string, streamId: string): string[] {
  const name = streamId.replaceAll(/[^A-Za-z0-9._-]/g, '-');
  const found = new Map<string, string>();
  for (const entry of ownedEntries(prompt)) {
    const path = withoutWildcards(entry.trim().replaceAll(/^[`'"]|[`'"]$/g, ''), name);
    if (checkPath(path) === undefined) found.set(path.toLowerCase(), path);
    if (found.size === MAX_FILES) break;
  }
  if (found.size > 0) return [...found.values()];
  const own = `millrace-sim/${name}.md`;
  // Some names (con, nul) are no files on some systems, whatever their ending.
  return [checkPath(own) === undefined ? own : `millrace-sim/stream-${name}.md`];
}

function ownedEntries(prompt: string): string[] {
  let last: RegExpExecArray | undefined;
  for (const match of prompt.matchAll(HEADING)) last = match;
  if (last === undefined) return [];
  const inline = (last[1] ?? '').trim();
  if (inline !== '')
    return inline
      .replaceAll(/^\[|\]$/g, '')
      .split(',')
      .slice(0, 200);
  const entries: string[] = [];
  const below = prompt.slice(last.index + last[0].length, last.index + 20_000).split('\n');
  for (const line of below.slice(1)) {
    const item = ITEM.exec(line.trimEnd())?.[1];
    if (item === undefined) break;
    entries.push(item);
  }
  return entries;
}

/**
 * A folder or a pattern becomes one file that it covers: `src/auth/` and `src/auth/**` with stream
 * `login`: src/auth/login.md.
 */
function withoutWildcards(entry: string, name: string): string {
  if (entry.endsWith('/')) return `${withoutWildcards(entry.slice(0, -1), name)}/${name}.md`;
  const segments = entry.split('/');
  const wild = segments.findIndex((segment) => /[*?[\]{}]/.test(segment));
  if (wild < 0) return entry;
  const ending = /\.[A-Za-z0-9]+$/.exec(segments.at(-1) ?? '')?.[0] ?? '.md';
  return [...segments.slice(0, wild), `${name}${ending}`].join('/');
}
