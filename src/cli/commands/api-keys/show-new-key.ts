// A key that was just made: the key alone on standard output, what to know about it beside.
import type { CommandOptions } from '../../command.ts';
import { showOutcome } from '../../show-outcome.ts';
import { note } from '../../terminal/output.ts';
import type { NewKey } from './managed-keys.ts';

export function showNewKey({ document, notes, warning }: NewKey, options: CommandOptions): number {
  const toUse = 'Save it now; it is not shown again. To use it: export MILLRACE_API_KEY=...';
  const exit = showOutcome(options, { document, text: document.key, notes: [...notes, toUse] });
  if (warning !== undefined) note(warning);
  return exit;
}
