// Consent before something that cannot be undone.
import { usageError } from '../command-error.ts';
import type { CommandOptions } from '../command.ts';
import { mayAsk } from '../settings/global-flags.ts';
import { ask } from './ask.ts';
import { note } from './output.ts';

/** False where nobody can be asked. */
export async function confirmed(options: CommandOptions, question: string): Promise<boolean> {
  if (options['yes']) return true;
  if (!mayAsk(options, process.env)) return false;
  return ['y', 'yes'].includes(await ask(`${question} [y/N] `));
}

/** For what cannot be undone: a word has to be typed, or --yes given. Throws when it is not to be done. */
export async function confirmByTyping(
  options: CommandOptions,
  {
    word,
    question,
    refusal,
    hint,
  }: { word: string; question: string; refusal: string; hint: string },
): Promise<void> {
  if (options['yes']) return;
  if (!mayAsk(options, process.env)) throw usageError(`${refusal} Nothing was changed.`, hint);
  note(question);
  if ((await ask(`Type "${word}" to go on: `)) !== word) throw usageError('Nothing was changed.');
}
