// What starts a trigger of a forge.
import type { Trigger } from '../../../src/contract/trigger-api.ts';
import { TRIGGER_EVENTS } from '../../../src/contract/trigger-events.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import { EventText } from './event-text.tsx';
import { FILTERS, FILTER_NAMES } from './event-words.ts';

export function StartedBy({ trigger: { kind, events, filters } }: { trigger: Trigger }) {
  if (kind === 'url') return null;
  const given = FILTER_NAMES.flatMap((name) => {
    const values = filters[name];
    return values === undefined ? [] : [{ name, values }];
  });
  return (
    <Card>
      <CardHead title="What starts it" />
      <div className="flex flex-col gap-3 p-4 text-sm">
        <ul aria-label="Events" className="flex flex-col gap-1">
          {events.map((event) => (
            <li key={event}>
              <EventText text={TRIGGER_EVENTS[event]} />
            </li>
          ))}
        </ul>
        {given.length === 0 ? null : (
          <dl aria-label="Filters" className="flex flex-wrap gap-x-8 gap-y-2">
            {given.map(({ name, values }) => (
              <div key={name} className="min-w-0">
                <dt className="text-xs text-faint">{FILTERS[name].label}</dt>
                <dd className="font-mono text-xs [overflow-wrap:anywhere]">
                  <PlainText text={values.join(', ')} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </Card>
  );
}
