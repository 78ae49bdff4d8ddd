// A text that the user changes in the editor.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import { editorOf, openEditor } from './open-editor.ts';
import { complain } from './output.ts';

/** Undefined where there is no editor; the user sees what to do. */
export async function editText(
  who: string,
  { name, text }: { name: string; text: string },
): Promise<string | undefined> {
  let editor;
  try {
    editor = editorOf(process.env, who);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    complain(`${error.message} ${error.hint}`);
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'millrace-edit-'));
  try {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    await openEditor(editor, file);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
