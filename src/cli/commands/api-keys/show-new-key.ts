// A key that was just made: the key alone on standard output, what to know about it beside.
import type { CommandOptions } from '../../command.ts';
import { note, print } from '../../terminal/output.ts';
import type { NewKey } from './managed-keys.ts';

export function showNewKey({ document, notes, warning }: NewKey, options: CommandOptions): void {
  if (options['json']) print(JSON.stringify(document));
  else {
    print(document.key);
    for (const text of notes) note(text);
    note('Save it now; it is not shown again. To use it: export MILLRACE_API_KEY=...');
  }
  if (warning !== undefined) note(warning);
}
