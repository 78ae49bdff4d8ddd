// A manifest as it is on disk or comes on standard input.
import { open, realpath } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { DEFAULT_MANIFEST_LIMITS } from '../../domain/manifest/text/limits.ts';
import { CommandError } from '../command-error.ts';

export const DEFAULT_MANIFEST = 'millrace.yaml';
export const STDIN = '-';

export interface ManifestSource {
  /** As the user named it. */
  file: string;
  text: string;
}

function unreadable(file: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return new CommandError({
      code: 'MANIFEST_NOT_FOUND',
      message: `There is no file ${file}.`,
      hint: 'Name the manifest, change to its folder with -C, or write one with: millrace init',
    });
  }
  const why = code === 'EISDIR' ? 'it is a folder' : message;
  return new CommandError({
    code: 'MANIFEST_UNREADABLE',
    message: `${file} cannot be read: ${why}`,
    hint: 'Name a manifest file that you may read.',
  });
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    if (file === STDIN) return await buffer(process.stdin);
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      if (size > DEFAULT_MANIFEST_LIMITS.maxBytes) {
        throw new Error(`it is larger than ${DEFAULT_MANIFEST_LIMITS.maxBytes} bytes`);
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

export async function readSource(file: string): Promise<ManifestSource> {
  const bytes = await readBytes(file);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { file, text };
  } catch {
    throw new CommandError({
      code: 'MANIFEST_UNREADABLE',
      message: `${file} is not UTF-8 text.`,
      hint: 'Save it with the encoding UTF-8.',
    });
  }
}

/** The file itself where the name is a link: writing must not replace the link. */
export function targetOf(file: string): Promise<string> {
  return realpath(file);
}
