// A manifest as it is on disk or comes on standard input.
import { statSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DEFAULT_MANIFEST } from '../../../manifest/default-file.ts';
import { DEFAULT_MANIFEST_LIMITS } from '../../../manifest/text/limits.ts';
import { isInside, leadsOutside } from '../../../platform/inside-folder.ts';
import { CommandError } from '../../command-error.ts';
import { shellWord } from '../../../domain/command/suggested-command.ts';
import { commandIn, commandLine, shellFolder } from '../../command-name.ts';
import { findAbove } from './find-above.ts';

export { DEFAULT_MANIFEST };
export const STDIN = '-';

export interface ManifestSource {
  /** As the user named it. */
  file: string;
  text: string;
}

function notFound(file: string, command: string): CommandError {
  const code = 'MANIFEST_NOT_FOUND';
  const above = findAbove(file, process.cwd());
  if (above === undefined) {
    const hint = `Name the manifest, choose its folder with -C, or write one with: ${commandLine('init')}`;
    return new CommandError({ code, message: `No file ${file} here.`, hint });
  }
  const named = file === DEFAULT_MANIFEST ? [] : [file];
  // As seen from the shell: `-C` may have brought us here.
  const folder = relative(shellFolder(), above);
  const there =
    folder === ''
      ? `Use it with: ${commandIn(undefined, command, ...named)}`
      : `Run "cd ${shellWord(folder)}", or use: ${commandIn(folder, command, ...named)}`;
  const message = `No file ${file} in this folder. The nearest is ${join(above, file)}.`;
  return new CommandError({ code, message, hint: there });
}

function unreadable(file: string, command: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return notFound(file, command);
  }
  const why = code === 'EISDIR' ? 'it is a folder' : message;
  return new CommandError({
    code: 'MANIFEST_UNREADABLE',
    message: `Cannot read ${file}: ${why}`,
    hint: 'Name a manifest file that you can read.',
  });
}

/**
 * A manifest is written to while it runs. One that came with a project must not be a link to a file
 * that the user never named, nor something that is read without end.
 */
function checkPlace(file: string): void {
  const folder = process.cwd();
  const outside = leadsOutside(folder, file);
  if (outside !== undefined) {
    throw new Error(`it is a link to ${outside}, outside of this folder; name that file instead`);
  }
  if (isInside(folder, file) && !statSync(file).isFile() && !statSync(file).isDirectory()) {
    throw new Error('it is not a regular file');
  }
}

async function readBytes(file: string, command: string): Promise<Uint8Array> {
  try {
    if (file === STDIN) return await buffer(process.stdin);
    checkPlace(file);
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
    throw unreadable(file, command, error);
  }
}

/** `command` is what the user called, for what to do when the file is not there. */
export async function readSource(file: string, command: string): Promise<ManifestSource> {
  const bytes = await readBytes(file, command);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { file, text };
  } catch {
    throw new CommandError({
      code: 'MANIFEST_UNREADABLE',
      message: `${file} is not UTF-8 text.`,
      hint: 'Save it as UTF-8.',
    });
  }
}

/** The file itself where the name is a link: writing must not replace the link. */
export function targetOf(file: string): Promise<string> {
  return realpath(file);
}
