// Reads files of the project for a prompt: text only, and never through a link that leads out.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { LRUCache } from 'lru-cache';
import { MAX_FILE_BYTES, decode } from './file-text.ts';
import { isSecret } from '../domain/artifact/secret-path.ts';
import { isUnchanged, stampOf } from '../platform/file-stamp.ts';
import type { Stamp } from '../platform/file-stamp.ts';
import { sha256 } from '../platform/sha256.ts';

export type ReadFile =
  | { kind: 'text'; path: string; text: string; sha256: string; bytes: number }
  | { kind: 'omitted'; path: string; reason: string; bytes: number }
  /** There is none yet: an owned file may be one to create. */
  | { kind: 'missing' };

/** Even of an owned file nobody can show more. */
const MAX_OWNED_BYTES = 5 * 1024 * 1024;

/** Together, of what is kept: a project can have more text than this process should hold. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

interface Known {
  stamp: Stamp;
  file: Extract<ReadFile, { kind: 'text' | 'omitted' }>;
}

export interface FileReader {
  read(path: string, options?: { isOwned?: boolean }): ReadFile;
}

/** Keeps what it read last. */
export function createFileReader(root: string): FileReader {
  const known = new LRUCache<string, Known>({
    maxSize: MAX_KEPT_BYTES,
    // Two bytes for each character, and something for the rest.
    sizeCalculation: ({ file }) => 256 + (file.kind === 'text' ? file.text.length * 2 : 0),
  });

  function readNew(path: string, real: string, size: number): Known['file'] {
    const bytes = readFileSync(real);
    const text = decode(bytes);
    if (text === undefined) return { kind: 'omitted', path, reason: 'not text', bytes: size };
    return { kind: 'text', path, text, sha256: sha256(bytes), bytes: bytes.length };
  }

  return {
    read(path, { isOwned = false } = {}) {
      try {
        const real = realpathSync.native(join(root, path));
        if (!real.startsWith(root + sep)) {
          return {
            kind: 'omitted',
            path,
            reason: 'a link that leads out of the project',
            bytes: 0,
          };
        }
        // A harmless name must not lead to a file that is never shown.
        const name = real.slice(root.length + 1);
        if (name !== path && isSecret(name) && !isSecret(path)) {
          return { kind: 'omitted', path, reason: 'a link to a file with secrets', bytes: 0 };
        }
        const lookedAt = Date.now();
        const about = statSync(real);
        const { size } = about;
        if (!about.isFile()) return { kind: 'omitted', path, reason: 'not a file', bytes: 0 };
        const limit = isOwned ? MAX_OWNED_BYTES : MAX_FILE_BYTES;
        if (size > limit) {
          const reason = `larger than ${limit / 1024} KiB`;
          return { kind: 'omitted', path, reason, bytes: size };
        }
        const kept = known.get(path);
        if (kept && isUnchanged(kept.stamp, about)) return kept.file;
        const file = readNew(path, real, size);
        known.set(path, { stamp: stampOf(about, lookedAt), file });
        return file;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
        return { kind: 'omitted', path, reason: `cannot be read (${code ?? 'error'})`, bytes: 0 };
      }
    },
  };
}
