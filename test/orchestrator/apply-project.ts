// Projects on disk for the tests of applying, and a picture of everything in them.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pictureOf } from '../support/folder-picture.ts';

export interface TestFile {
  text: string | Buffer;
  mode: number;
}

export type TestFiles = Record<string, string | Buffer | TestFile>;

export function tempFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'millrace-apply-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function fillProject(root: string, files: TestFiles): void {
  mkdirSync(root, { recursive: true });
  for (const [path, file] of Object.entries(files)) {
    const isPlain = typeof file === 'string' || Buffer.isBuffer(file);
    const { text, mode } = isPlain ? { text: file, mode: 0o644 } : file;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), mode);
  }
}

/** Of a project; our own state only when asked for. */
export function picture(root: string, options: { withState?: boolean } = {}): string[] {
  return pictureOf(root, options.withState ? [] : ['.millrace']);
}

/** The state lies in the project here, so that a copy of the project takes it along. */
export const placeIn = (root: string) => ({ root, stateDir: join(root, '.millrace') });

/** Transactions that nobody finished or cleared away. */
export function openTransactions(root: string): string[] {
  try {
    return readdirSync(join(root, '.millrace', 'txn'));
  } catch {
    return [];
  }
}
