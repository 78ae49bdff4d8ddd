// What an event would ask for, with sample values; nothing is started.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Trigger } from '../../../src/contract/trigger-api.ts';
import { TRIGGER_EVENTS } from '../../../src/contract/trigger-events.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { FlaskConical } from '../../ui/icons.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import { RequestWork } from '../requests/request-work.tsx';

export function TryEvent({ trigger: { id, events } }: { trigger: Trigger }) {
  const [chosen, setChosen] = useState(events[0]);
  const event = chosen !== undefined && events.includes(chosen) ? chosen : events[0];
  const test = useMutation({
    mutationFn: () => api.triggers.test(id, event === undefined ? {} : { event }),
  });
  return (
    <>
      <Card>
        <CardHead title="Try it">
          {events.length < 2 ? null : (
            <Select
              aria-label="Event to try"
              value={event}
              onChange={({ target }) => {
                test.reset();
                setChosen(events.find((each) => each === target.value));
              }}
            >
              {events.map((each) => (
                <option key={each} value={each}>
                  {TRIGGER_EVENTS[each].replaceAll('`', '')}
                </option>
              ))}
            </Select>
          )}
          <Button
            size="small"
            icon={<FlaskConical />}
            busy={test.isPending}
            onClick={() => test.mutate()}
          >
            Show what it would ask for
          </Button>
        </CardHead>
        <p className="p-4 text-sm text-soft">With values made up for it. Nothing is started.</p>
      </Card>
      {test.data === undefined ? null : (
        <RequestWork work={test.data.work} title="What such an event would ask for" />
      )}
    </>
  );
}
