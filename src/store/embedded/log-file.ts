import { existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { Layout } from './placement.ts';

const LIMIT_BYTES = 10_000_000;

export function openLog({ logFile }: Layout): number {
  if (sizeOf(logFile) > LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
  return openSync(logFile, 'a', 0o600);
}

/** Where the next start's lines begin. */
export function logSize(layout: Layout): number {
  const size = sizeOf(layout.logFile);
  return size > LIMIT_BYTES ? 0 : size;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

export function readLog(layout: Layout): Buffer {
  return existsSync(layout.logFile) ? readFileSync(layout.logFile) : Buffer.alloc(0);
}

export function logHint(layout: Layout): string {
  const tail = readLog(layout).toString().trimEnd().split('\n').slice(-4).join('\n');
  return `see ${layout.logFile}, which ends with:\n${tail}`;
}
