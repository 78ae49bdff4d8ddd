// What one source names, read anew when it may have changed.
import { lstatSync, readFileSync } from 'node:fs';
import { MAX_FILE_BYTES, decode } from '../file-text.ts';
import { isUnchanged, stampOf } from '../../platform/file-stamp.ts';
import type { Stamp } from '../../platform/file-stamp.ts';
import type { Language } from './language.ts';

export interface Source {
  path: string;
  /** The same, absolute: made once, and used for each snapshot. */
  file: string;
  language: Language;
  /** None when it could not be looked at. */
  stamp?: Stamp | undefined;
  /** None before it was read. */
  names: readonly string[] | undefined;
  /** What each of the names stands for. */
  targets: (readonly string[])[];
}

/** A part of a text keeps all of it in memory: this one stands for itself. */
function detached(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Its names when they may be others than before. The path is of a walk that follows no links. */
export function readSource(source: Source): string[] | undefined {
  const { path, file, language, stamp } = source;
  try {
    const about = lstatSync(file);
    if (stamp && isUnchanged(stamp, about)) return undefined;
    source.stamp = stampOf(about, Date.now());
    if (!about.isFile() || about.size > MAX_FILE_BYTES) return [];
    const text = decode(readFileSync(file));
    return text === undefined ? [] : [...new Set(language.scan(text, path))].map(detached);
  } catch {
    // Gone in the meantime, or not for us to read: it names nothing that we could know.
    source.stamp = undefined;
    return [];
  }
}
