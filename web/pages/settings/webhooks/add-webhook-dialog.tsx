import { useState } from 'react';
import type { WebhookEvent } from '../../../../src/client/webhooks-types.ts';
import type { Webhook } from '../../../../src/contract/webhook-api.ts';
import { api } from '../../../api/client.ts';
import { Checkbox, Field, Input, Select } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { problemOf, useChange } from '../use-change.ts';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from './webhook-events.ts';

const NAMES = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[];

export function AddWebhookDialog({
  onClose,
  onAdded,
}: {
  onClose: () => void;
  onAdded: (secret: string) => void;
}) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [format, setFormat] = useState<Webhook['format']>('millrace');
  const [isAll, setAll] = useState(true);
  const [events, setEvents] = useState<readonly WebhookEvent[]>([
    'execution.completed',
    'execution.failed',
  ]);
  const add = useChange({
    change: () =>
      api.webhooks.create({
        url,
        events: isAll ? ['*'] : [...events],
        format,
        ...(description.trim() === '' ? {} : { description }),
      }),
    stale: ['webhooks'],
    onDone: ({ secret }) => onAdded(secret),
  });
  return (
    <FormDialog
      title="Add a webhook"
      action="Add"
      busy={add.isPending}
      disabled={url.trim() === '' || (!isAll && events.length === 0)}
      onClose={onClose}
      onSubmit={() => add.mutate(undefined)}
    >
      <Field
        label="URL"
        hint="https, with a public address. Events are sent by POST."
        problem={problemOf(add.error, 'url')}
      >
        {(props) => (
          <Input
            {...props}
            type="url"
            required
            placeholder="https://example.com/hooks/millrace"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <Field label="Description (optional)">
        {(props) => (
          <Input
            {...props}
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Format"
        hint={
          format === 'millrace'
            ? undefined
            : 'The URL is that of an incoming webhook of the chat. Messages link to this dashboard.'
        }
      >
        {(props) => (
          <Select
            {...props}
            value={format}
            onChange={(event) => setFormat(event.target.value as Webhook['format'])}
          >
            {Object.entries(WEBHOOK_FORMATS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Events">
        {(props) => (
          <Select
            {...props}
            value={isAll ? 'all' : 'some'}
            onChange={(event) => setAll(event.target.value === 'all')}
          >
            <option value="all">all, also those that are added later</option>
            <option value="some">only what is chosen below</option>
          </Select>
        )}
      </Field>
      {isAll ? null : (
        <fieldset className="grid gap-2 rounded-lg border border-line p-3">
          <legend className="sr-only">Chosen events</legend>
          {NAMES.map((name) => (
            <Checkbox
              key={name}
              label={
                <>
                  <code className="text-xs">{name}</code>{' '}
                  <span className="text-soft">{WEBHOOK_EVENTS[name]}</span>
                </>
              }
              checked={events.includes(name)}
              onChange={(event) =>
                setEvents(
                  event.target.checked ? [...events, name] : events.filter((each) => each !== name),
                )
              }
            />
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
}
