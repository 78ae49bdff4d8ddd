import { open } from 'node:fs/promises';

const TAIL_BYTES = 256 * 1024;
const TAIL_LINES = 1000;

/** The last lines of a file of any size; undefined when there is none to read. */
export async function lastLines(path: string): Promise<string[] | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    const lines = bytes.toString('utf8', 0, bytesRead).split('\n');
    // The first one may have lost its beginning, and with it what a secret is recognized by.
    return (from > 0 ? lines.slice(1) : lines).slice(-TAIL_LINES);
  } finally {
    await file.close();
  }
}

/** Lines of PostgreSQL that quote statements and values are about the data, not about the database. */
export function withoutData(lines: readonly string[]): string[] {
  return lines.filter(
    (line) => !/\] (?:DETAIL|STATEMENT|CONTEXT|QUERY): /.test(line) && !line.startsWith('\t'),
  );
}
