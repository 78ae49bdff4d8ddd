// Dependencies that follow from what streams read of each other.
import type { LearnResult } from '../../../manifest/learn/learn.ts';
import { learnDeps } from '../../../manifest/learn/learn.ts';
import { diffLines } from '../../../domain/diff/hunks.ts';
import { EditError } from '../../../manifest/edit/edit-error.ts';
import { editManifest } from '../../../manifest/edit/editor.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { replaceFile } from '../../terminal/replace-file.ts';
import { readForLearning } from './learn-input.ts';
import { reportInvalid } from './load.ts';
import { showDiff, showLearned } from './show-learned.ts';
import type { ManifestSource } from './source.ts';
import { DEFAULT_MANIFEST, STDIN, readSource, targetOf } from './source.ts';

function withAdded(text: string, added: LearnResult['added']): string {
  const byStream = Map.groupBy(added, ({ stream }) => stream);
  const editor = editManifest(text);
  for (const [stream, deps] of byStream) {
    editor.addDeps(
      stream,
      deps.map(({ dep }) => dep),
    );
  }
  return editor.toString();
}

function cannotEdit({ file }: ManifestSource, error: EditError): CommandError {
  return new CommandError({
    code: 'CANNOT_EDIT',
    message: `Cannot write the dependencies into ${file}. ${error.message}`,
    hint: `Add them by hand. List them with: ${commandLine('learn', '--json')}`,
  });
}

/** Throws a CommandError where the layout of the file does not allow the change. */
function change(source: ManifestSource, { added }: LearnResult): string {
  if (added.length === 0) return source.text;
  try {
    return withAdded(source.text, added);
  } catch (error) {
    throw error instanceof EditError ? cannotEdit(source, error) : error;
  }
}

async function write(source: ManifestSource, result: LearnResult): Promise<boolean> {
  const after = change(source, result);
  if (after === source.text) return false;
  await replaceFile(await targetOf(source.file), source.text, after);
  return true;
}

/** The change as a diff; what was found is worth showing even where there can be none. */
function preview(source: ManifestSource, result: LearnResult): void {
  const name = source.file === STDIN ? 'stdin' : source.file;
  try {
    const lines = diffLines(name, source.text, change(source, result));
    for (const line of showDiff(lines, styled)) print(line);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    note(error.message);
  }
  if (result.added.length > 0) note('Nothing was written. To write it, add --write.');
}

export async function learn(options: CommandOptions, args: string[]): Promise<number> {
  const source = await readSource(args[0] ?? DEFAULT_MANIFEST, 'learn');
  const mayWrite = options['write'] === true;
  if (mayWrite && source.file === STDIN) {
    throw new CommandError({
      code: 'USAGE',
      message: '--write needs a file, not standard input.',
      hint: 'Name the file, or omit --write to see the change.',
    });
  }
  const input = readForLearning(source);
  if (input.kind === 'invalid') {
    reportInvalid(source, input.problems, options);
    return EXIT.usage;
  }
  const result = learnDeps(input.streams);
  const written = mayWrite && (await write(source, result));
  if (options['json']) print(JSON.stringify({ ...result, written }));
  else {
    for (const line of showLearned(result, styled)) print(line);
    if (!mayWrite) preview(source, result);
    else if (written) note(`Wrote ${source.file}.`);
  }
  return result.cycles.length > 0 ? EXIT.usage : EXIT.ok;
}
