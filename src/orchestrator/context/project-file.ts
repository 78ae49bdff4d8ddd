// Reads files of the project for a prompt: text only, and never through a link that leads out.
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isSecret } from './never-shown.ts';

export type ReadFile =
  | { kind: 'text'; path: string; text: string; sha256: string; bytes: number }
  | { kind: 'omitted'; path: string; reason: string; bytes: number }
  /** There is none yet: an owned file may be one to create. */
  | { kind: 'missing' };

/** Files above this are data more often than source. */
export const MAX_FILE_BYTES = 256 * 1024;
/** Even of an owned file nobody can show more. */
const MAX_OWNED_BYTES = 5 * 1024 * 1024;

interface Known {
  mtimeMs: number;
  size: number;
  file: Extract<ReadFile, { kind: 'text' | 'omitted' }>;
}

export interface FileReader {
  read(path: string, options?: { isOwned?: boolean }): Promise<ReadFile>;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Keeps what it read, known by time and size. */
export function createFileReader(root: string): FileReader {
  const known = new Map<string, Known>();

  async function readNew(path: string, size: number): Promise<Known['file']> {
    const bytes = await readFile(join(root, path));
    const text = decode(bytes);
    if (text === undefined) return { kind: 'omitted', path, reason: 'not text', bytes: size };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { kind: 'text', path, text, sha256, bytes: bytes.length };
  }

  return {
    async read(path, { isOwned = false } = {}) {
      try {
        const real = await realpath(join(root, path));
        if (!real.startsWith(root + sep)) {
          return {
            kind: 'omitted',
            path,
            reason: 'a link that leads out of the project',
            bytes: 0,
          };
        }
        // A harmless name must not lead to a file that is never shown.
        if (isSecret(real.slice(root.length + 1)) && !isSecret(path)) {
          return { kind: 'omitted', path, reason: 'a link to a file with secrets', bytes: 0 };
        }
        const about = await stat(real);
        const { mtimeMs, size } = about;
        if (!about.isFile()) return { kind: 'omitted', path, reason: 'not a file', bytes: 0 };
        const limit = isOwned ? MAX_OWNED_BYTES : MAX_FILE_BYTES;
        if (size > limit) {
          const reason = `larger than ${limit / 1024} KiB`;
          return { kind: 'omitted', path, reason, bytes: size };
        }
        const kept = known.get(path);
        if (kept && kept.mtimeMs === mtimeMs && kept.size === size) return kept.file;
        const file = await readNew(path, size);
        known.set(path, { mtimeMs, size, file });
        return file;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
        return { kind: 'omitted', path, reason: `cannot be read (${code ?? 'error'})`, bytes: 0 };
      }
    },
  };
}
