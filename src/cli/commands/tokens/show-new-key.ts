// A key that was just made: the key alone on standard output, what to know about it beside.
import type { CreatedApiKey } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

export function showNewKey(
  created: CreatedApiKey,
  options: CommandOptions,
  notes: readonly string[],
): void {
  if (options['json']) {
    print(JSON.stringify(created));
    return;
  }
  print(created.key);
  note(`Created ${created.id} "${plain(created.name)}" (${created.scopes.join(', ')}).`);
  for (const text of notes) note(text);
  note('Save it now; it is not shown again. To use it: export MILLRACE_API_KEY=...');
}
