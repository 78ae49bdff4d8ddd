// The events that a webhook is for.
import type { NewWebhook } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';

export function eventsOf(options: CommandOptions): NewWebhook['events'] {
  const names = String(options['events']).split(',');
  // The server knows the names, and says which one it does not.
  return names.map((name) => name.trim()).filter((name) => name !== '') as NewWebhook['events'];
}
