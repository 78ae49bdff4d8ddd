// Takes along what processes have left in their home, for the next ones: plain files and folders. What is in there may be
// hostile: links could lead out of it, a pipe would never end, and a tree can be as deep and as large as it likes.
import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface HomeBounds {
  bytes: number;
  files: number;
  depth: number;
}

export const HOME_BOUNDS: HomeBounds = { bytes: 256 * 1024 * 1024, files: 20_000, depth: 64 };

/** The home has more than is taken along; the message says of what. */
export class HomeBoundError extends Error {
  override name = 'HomeBoundError';
}

/** At the top of it: fetched again where they are missing. */
const CACHES: ReadonlySet<string> = new Set(['.cache', '.npm']);

export interface HomeCopy {
  /** Files with one of these texts in them stay behind. */
  secrets?: readonly string[];
  bounds?: HomeBounds;
}

/** Fills `to`, which is empty. No process may be at work in `from`. */
export async function copyHome(
  from: string,
  to: string,
  { secrets = [], bounds = HOME_BOUNDS }: HomeCopy = {},
): Promise<void> {
  const texts = secrets.map((secret) => Buffer.from(secret));
  let bytes = 0;
  let files = 0;

  function count(more: number): void {
    bytes += more;
    files += 1;
    const megabytes = Math.floor(bounds.bytes / 1024 / 1024);
    if (bytes > bounds.bytes) throw new HomeBoundError(`more than ${megabytes} MiB`);
    if (files > bounds.files) throw new HomeBoundError(`more than ${bounds.files} files`);
  }

  async function copyFile(source: string, target: string): Promise<void> {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const opened = await open(source, flags);
    try {
      const { size, mode } = await opened.stat();
      // Before it is read: a file with holes in it can be of any size.
      count(size);
      const content = await opened.readFile();
      if (texts.some((text) => content.includes(text))) return;
      const written = await open(target, 'wx', 0o600 | (mode & 0o100));
      try {
        await written.writeFile(content);
      } finally {
        await written.close();
      }
    } finally {
      await opened.close();
    }
  }

  async function copyFolder(source: string, target: string, depth: number): Promise<void> {
    if (depth > bounds.depth)
      throw new HomeBoundError(`folders in more than ${bounds.depth} levels`);
    // It may be closed even to its owner.
    await chmod(source, 0o700);
    for (const entry of await readdir(source, { withFileTypes: true })) {
      if (depth === 0 && CACHES.has(entry.name)) continue;
      const [path, copy] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) {
        count(0);
        await mkdir(copy, { mode: 0o700 });
        await copyFolder(path, copy, depth + 1);
      } else if (entry.isFile()) await copyFile(path, copy).catch(skipUnreadable);
    }
  }

  await copyFolder(from, to, 0);
}

/** One that its agent has closed, or whose name is no text. */
function skipUnreadable(error: unknown): void {
  if (!['EACCES', 'EPERM', 'ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? ''))
    throw error;
}
