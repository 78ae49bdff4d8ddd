// A delivery in a line.
import type { WebhookDelivery } from '../../../client/index.ts';
import { countOf } from '../../terminal/figures.ts';
import { plain } from '../../terminal/plain-text.ts';

export function describeDelivery(delivery: WebhookDelivery, id = delivery.id): string {
  const last = delivery.attempts.at(-1);
  const tries = countOf(delivery.attempts.length, 'try', 'tries');
  const why = last?.error ? `  ${plain(last.error)}` : '';
  return `${id}  ${delivery.status.padEnd(9)}  ${delivery.event}  ${tries}${why}`;
}
