// One webhook: what it is sent, and how each delivery went.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../../../src/contract/webhook-api.ts';
import { api } from '../../../api/client.ts';
import { useMayWrite } from '../../../session/rights.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyBlock, CopyId } from '../../../ui/copy.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Card, CardHead, Loaded, PageHead } from '../../../ui/surface.tsx';
import { useChange } from '../use-change.ts';
import { Deliveries } from './deliveries.tsx';
import { VERIFY_SNIPPET } from './verify-snippet.ts';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookStatus } from './webhook-status.tsx';
import { WEBHOOK_FORMATS, shownEvents } from './webhook-events.ts';

function Actions({ webhook }: { webhook: Webhook }) {
  const { id, status } = webhook;
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const close = () => setAsking(undefined);
  const isActive = status === 'active';
  const test = useChange({
    change: () => api.webhooks.test(id),
    stale: ['webhook-deliveries'],
    said: () => 'A test event is on its way.',
  });
  const toggle = useChange({
    change: () => api.webhooks.update(id, { status: isActive ? 'paused' : 'active' }),
    stale: ['webhooks', 'webhook'],
    said: () => (isActive ? 'The webhook is paused.' : 'The webhook is active.'),
  });
  const rotate = useChange({
    change: () => api.webhooks.rotateSecret(id),
    stale: [],
    onDone(made) {
      close();
      setSecret(made.secret);
    },
  });
  const remove = useChange({
    change: () => api.webhooks.remove(id),
    stale: ['webhooks'],
    said: () => 'The webhook was deleted.',
    onDone: () => void navigate({ to: '/settings/$', params: { _splat: 'webhooks' } }),
  });
  return (
    <>
      <Button busy={test.isPending} disabled={!isActive} onClick={() => test.mutate(undefined)}>
        Send test event
      </Button>
      <Button busy={toggle.isPending} onClick={() => toggle.mutate(undefined)}>
        {isActive ? 'Pause' : 'Activate'}
      </Button>
      <Button onClick={() => setAsking('rotate')}>Rotate secret</Button>
      <Button look="danger" onClick={() => setAsking('delete')}>
        Delete
      </Button>
      <ConfirmDialog
        open={asking === 'rotate'}
        onOpenChange={close}
        title="Rotate the signing secret?"
        action="Rotate the secret"
        busy={rotate.isPending}
        onConfirm={() => rotate.mutate(undefined)}
      >
        For 24 hours, events are signed with the old secret too. Replace it in your server in that
        time.
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'delete'}
        onOpenChange={close}
        title="Delete this webhook?"
        action="Delete the webhook"
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        No events are sent to {webhook.url} any more, and its deliveries are deleted.
      </ConfirmDialog>
      <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

export function WebhookPage({ id }: { id: string }) {
  const mayWrite = useMayWrite();
  const webhook = useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => api.webhooks.get(id, { signal }),
  });
  return (
    <Loaded query={webhook}>
      {(data) => (
        <>
          <nav aria-label="Path" className="mb-2 flex items-center gap-1.5 text-sm text-soft">
            <Link
              to="/settings/$"
              params={{ _splat: 'webhooks' }}
              className="hover:text-text hover:underline"
            >
              Webhooks
            </Link>
            <span className="text-faint">/</span>
            <CopyId id={id} />
          </nav>
          <PageHead
            title={data.url}
            lead={
              <span className="flex flex-wrap items-center gap-2">
                <WebhookStatus status={data.status} />
                {shownEvents(data.events)}
                {data.format === 'millrace' ? null : ` · ${WEBHOOK_FORMATS[data.format]}`}
                {data.description ? ` · ${data.description}` : null}
              </span>
            }
          >
            {mayWrite ? <Actions webhook={data} /> : null}
          </PageHead>
          {data.status === 'disabled' ? (
            <p className="mb-4 rounded-lg bg-bad-soft px-4 py-2.5 text-sm text-bad">
              Disabled: {data.disabledReason ?? 'deliveries failed for too long'}. Fix the receiver,
              then activate the webhook.
            </p>
          ) : null}
          <Deliveries webhookId={id} />
          {data.format === 'millrace' ? (
            <Card className="mt-6">
              <CardHead title="Verify signatures" />
              <div className="p-4">
                <CopyBlock text={VERIFY_SNIPPET} label="code" />
              </div>
            </Card>
          ) : null}
        </>
      )}
    </Loaded>
  );
}
