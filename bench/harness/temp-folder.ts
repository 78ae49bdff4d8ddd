import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own, and how to delete it; deleted at the end of the process at the latest. */
export function tempFolder(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `millrace-bench-${name}-`));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}
