// A file that a flag names, or standard input.
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { usageError } from '../../command-error.ts';

export async function readInput(file: string, flag: string): Promise<string> {
  if (file === '-') return readAll(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw usageError(`${flag}: cannot read ${file}`, 'Name a file that exists.');
  }
}
