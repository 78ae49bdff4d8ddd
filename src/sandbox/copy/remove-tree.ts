// Removes folders that a sandboxed process wrote: it may have closed them even to their owner.
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

function open(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) open(join(folder, entry.name));
  }
}

/** A process that was just ended may write for a moment yet. */
const RETRY = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 } as const;

/** Does not follow links. */
export function removeTree(path: string): void {
  try {
    rmSync(path, RETRY);
  } catch {
    if (lstatSync(path).isDirectory()) open(path);
    rmSync(path, RETRY);
  }
}
