// A yes or no before something that cannot be undone.
import type { CommandOptions } from '../command.ts';
import { mayAsk } from '../settings/global-flags.ts';
import { ask } from './ask.ts';

/** False where nobody can be asked. */
export async function confirmed(options: CommandOptions, question: string): Promise<boolean> {
  if (options['yes']) return true;
  if (!mayAsk(options, process.env)) return false;
  return ['y', 'yes'].includes(await ask(`${question} [y/N] `));
}
