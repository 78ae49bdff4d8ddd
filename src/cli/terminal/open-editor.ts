// Opens a file in the user's editor and waits until it is closed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandError } from '../command-error.ts';
import { note } from './output.ts';

/** The setting may have flags of its own, as in `code --wait`: the shell splits it, and nothing else. */
const WITH_FILE = '$MILLRACE_EDITOR "$1"';

/** `who` needs it, as a user would call it. */
export function editorOf(env: NodeJS.ProcessEnv, who: string): string {
  const editor = env['VISUAL'] || env['EDITOR'];
  if (editor) return editor;
  throw new CommandError({
    code: 'NO_EDITOR',
    message: `${who} needs to know your editor.`,
    hint: 'Set EDITOR, such as: export EDITOR=nano',
  });
}

/** What it made of the file is for the caller to check, however it ended. */
export async function openEditor(editor: string, file: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', WITH_FILE, 'sh', file], {
    stdio: 'inherit',
    env: { ...process.env, MILLRACE_EDITOR: editor },
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) note(`The editor ended with ${code ?? 'a signal'}; the file is used as it is.`);
}
