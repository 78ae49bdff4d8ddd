// Where events are sent: the list, and one webhook with its deliveries.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Bell } from '../../../ui/frame-icons.tsx';
import { Plus } from '../../../ui/icons.tsx';
import { useState } from 'react';
import type { Webhook } from '../../../../src/contract/webhook-api.ts';
import { api } from '../../../api/client.ts';
import { useMayWrite } from '../../../session/rights.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyBlock } from '../../../ui/copy.tsx';
import { List } from '../../../ui/list.tsx';
import { Card, EmptyState, PageHead } from '../../../ui/surface.tsx';
import { Table } from '../../../ui/table.tsx';
import type { Column } from '../../../ui/table.tsx';
import { Ago } from '../../../ui/time.tsx';
import { AddWebhookDialog } from './add-webhook-dialog.tsx';
import { WebhookPage } from './webhook-page.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookStatus } from './webhook-status.tsx';
import { shownEvents } from './webhook-events.ts';
import { command } from '../../../ui/command.ts';

const COLUMNS: readonly Column<Webhook>[] = [
  {
    head: 'URL',
    kind: 'title',
    className: 'max-w-sm',
    cell: ({ id, url, description }) => (
      <>
        <Link
          to="/settings/$"
          params={{ _splat: `webhooks/${id}` }}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {url}
        </Link>
        {description ? (
          <div className="mt-0.5 truncate text-xs text-soft">{description}</div>
        ) : null}
      </>
    ),
  },
  { head: 'Status', cell: ({ status }) => <WebhookStatus status={status} /> },
  {
    head: 'Events',
    className: 'max-w-56 truncate text-soft',
    cell: ({ events }) => shownEvents(events),
  },
  { head: 'Added', kind: 'end', cell: ({ createdAt }) => <Ago time={createdAt} /> },
];

function Nothing() {
  return (
    <EmptyState icon={<Bell />} title="No webhooks yet">
      <p>Add a public https URL, or receive events on your machine while you develop:</p>
      <div className="w-[30rem] max-w-full text-left">
        <CopyBlock text={command('webhooks', 'listen', '--forward', 'http://127.0.0.1:3000')} />
      </div>
    </EmptyState>
  );
}

function WebhookList() {
  const mayWrite = useMayWrite();
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => api.webhooks.list({ signal }),
  });
  return (
    <>
      <PageHead
        title="Webhooks"
        lead="Millrace sends events about executions and the budget to your URL, signed and retried for 3 days."
      >
        {mayWrite ? (
          <Button look="primary" icon={<Plus />} onClick={() => setAdding(true)}>
            Add webhook
          </Button>
        ) : null}
      </PageHead>
      <Card>
        <List query={webhooks} noun="webhook" empty={<Nothing />}>
          {({ items }) => (
            <Table label="Webhooks" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )}
        </List>
      </Card>
      {adding ? (
        <AddWebhookDialog
          onClose={() => setAdding(false)}
          onAdded={(made) => {
            setAdding(false);
            setSecret(made);
          }}
        />
      ) : null}
      <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

export function WebhooksPage() {
  const { _splat: path = '' } = useParams({ from: '/settings/$' });
  const id = path.split('/')[1];
  return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />;
}
