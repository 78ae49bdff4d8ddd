// A copy of a file that a transaction keeps. It is used only when it is the one that was kept.
import { StateDamagedError } from '../state/state-errors.ts';
import type { Disk } from './disk.ts';
import { afterFile, beforeFile } from './journal-file.ts';
import type { Version } from './journal-file.ts';
import { sha256 } from '../../platform/sha256.ts';

export interface KeptVersion {
  dir: string;
  side: 'before' | 'after';
  index: number;
  version: Version;
}

/** Null where there was no file. */
export async function readVersion(disk: Disk, kept: KeptVersion): Promise<Buffer | null> {
  const { dir, side, index, version } = kept;
  if (version === null) return null;
  const file = side === 'before' ? beforeFile(dir, index) : afterFile(dir, index);
  const bytes = await disk.read(file);
  if (sha256(bytes) !== version) throw new StateDamagedError(file, 'it is not what was kept');
  return bytes;
}
