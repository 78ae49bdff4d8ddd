// What was sent, newest first, with every attempt.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Send } from '../../../ui/icons.tsx';
import type { WebhookDelivery } from '../../../../src/contract/webhook-api.ts';
import { api } from '../../../api/client.ts';
import { useMayWrite } from '../../../session/rights.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyId } from '../../../ui/copy.tsx';
import { formatDuration, plural } from '../../../ui/format.ts';
import { StatusBadge, StatusIcon } from '../../../ui/status.tsx';
import { List, ShowOlder } from '../../../ui/list.tsx';
import { Card, CardHead, EmptyState } from '../../../ui/surface.tsx';
import { Ago } from '../../../ui/time.tsx';
import { useChange } from '../use-change.ts';

const PAGE = 25;
/** There is no event for deliveries: looked at often only while one is under way. */
const LOOK_AGAIN_MS = { pending: 2000, idle: 15_000 };

type Attempt = WebhookDelivery['attempts'][number];

function AttemptLine({ attempt, number }: { attempt: Attempt; number: number }) {
  const { at, status, durationMs, responseBody, error } = attempt;
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <li className="border-t border-line px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <StatusIcon status={isGood ? 'delivered' : 'failed'} />
        <span>Attempt {number}</span>
        <span className="font-medium tabular">{status ?? error ?? 'no response'}</span>
        <span className="text-soft tabular">{formatDuration(durationMs)}</span>
        <Ago time={at} className="ml-auto text-soft" />
      </div>
      {responseBody ? (
        <pre
          tabIndex={0}
          aria-label={`Response to attempt ${number}`}
          className="mt-2 max-h-40 overflow-auto rounded-md bg-sunken p-2.5 text-xs"
        >
          {responseBody}
        </pre>
      ) : null}
    </li>
  );
}

function DeliveryLine({ webhookId, delivery }: { webhookId: string; delivery: WebhookDelivery }) {
  const mayWrite = useMayWrite();
  const resend = useChange({
    change: () => api.webhooks.redeliver(webhookId, delivery.id),
    stale: ['webhook-deliveries'],
    said: () => 'The event is sent again.',
  });
  const { event, status, attempts, createdAt, nextAttemptAt, eventId } = delivery;
  return (
    <li className="border-b border-line last:border-b-0">
      <details className="group">
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2.5 hover:bg-hover/60">
          <StatusBadge
            status={status === 'pending' ? 'queued' : status}
            {...(status === 'pending' ? { word: 'Pending' } : {})}
          />
          <span className="font-mono text-xs">{event}</span>
          <span className="text-xs text-soft">
            {status === 'pending' && nextAttemptAt ? (
              <>
                {attempts.length > 0 ? 'Waits for the next attempt' : 'Next attempt'}:{' '}
                <Ago time={nextAttemptAt} />
              </>
            ) : (
              plural(attempts.length, 'attempt')
            )}
          </span>
          <Ago time={createdAt} className="ml-auto text-xs text-soft" />
        </summary>
        <div className="flex flex-wrap items-center gap-3 px-4 pb-2.5">
          <CopyId id={eventId} />
          {mayWrite ? (
            <Button
              size="small"
              className="ml-auto"
              busy={resend.isPending}
              onClick={() => resend.mutate(undefined)}
            >
              Resend
            </Button>
          ) : null}
        </div>
        <ol>
          {attempts.map((attempt, index) => (
            <AttemptLine key={attempt.at} attempt={attempt} number={index + 1} />
          ))}
        </ol>
      </details>
    </li>
  );
}

export function Deliveries({ webhookId }: { webhookId: string }) {
  const deliveries = useInfiniteQuery({
    queryKey: ['webhook-deliveries', webhookId],
    queryFn: ({ pageParam, signal }) =>
      api.webhooks.deliveries(
        webhookId,
        { limit: PAGE, ...(pageParam === '' ? {} : { before: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    select: ({ pages }) => ({ items: pages.flatMap((page) => page.items) }),
    refetchInterval({ state }) {
      const items = state.data?.pages.flatMap((page) => page.items) ?? [];
      const isPending = items.some(({ status }) => status === 'pending');
      return isPending ? LOOK_AGAIN_MS.pending : LOOK_AGAIN_MS.idle;
    },
  });
  return (
    <Card>
      <CardHead title="Deliveries" />
      <List
        query={deliveries}
        noun="delivery"
        empty={
          <EmptyState icon={<Send />} title="Nothing was sent yet">
            Send a test event to see whether your receiver answers.
          </EmptyState>
        }
        rows={3}
        foot={() => <ShowOlder query={deliveries} />}
      >
        {({ items }) => (
          <ul>
            {items.map((delivery) => (
              <DeliveryLine key={delivery.id} webhookId={webhookId} delivery={delivery} />
            ))}
          </ul>
        )}
      </List>
    </Card>
  );
}
