// What came for a trigger, newest first, with what each delivery started or why it started nothing.
import type { HookAnswer, TriggerDelivery } from '../../../src/contract/trigger-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { RotateCw } from '../../ui/frame-icons.tsx';
import { List, ShowOlder } from '../../ui/list.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Card, CardHead, EmptyState } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useChange } from '../settings/use-change.ts';
import { reasonText } from '../starts/reason-text.ts';
import { StartResult } from '../starts/start-result.tsx';
import { useTriggerDeliveries } from './use-triggers.ts';

function sayWhat({ result, reason }: HookAnswer): void {
  if (result === 'started') toast('A run was asked for.', 'good');
  else toast(`Nothing was started. ${reasonText(reason ?? result)}.`);
}

function Replay({ triggerId, delivery }: { triggerId: string; delivery: TriggerDelivery }) {
  const replay = useChange({
    change: () => api.triggers.replay(triggerId, delivery.id),
    stale: ['trigger-deliveries', 'trigger', 'triggers', 'requests'],
    onDone: sayWhat,
  });
  return (
    <Button
      size="small"
      icon={<RotateCw />}
      busy={replay.isPending}
      aria-label={`Replay ${delivery.id}`}
      onClick={() => replay.mutate(undefined)}
    >
      Replay
    </Button>
  );
}

const columnsOf = (triggerId: string, mayWrite: boolean): readonly Column<TriggerDelivery>[] => [
  {
    head: 'What came of it',
    kind: 'title',
    cell: (delivery) => (
      <>
        <StartResult start={delivery} />
        {delivery.cancelled > 0 ? (
          <span className="block text-xs font-normal text-soft">
            {plural(delivery.cancelled, 'earlier run')} cancelled
          </span>
        ) : null}
      </>
    ),
  },
  {
    head: 'Event',
    label: 'Event',
    className: '[overflow-wrap:anywhere]',
    cell: ({ event, actor, replayOf }) => (
      <>
        <PlainText text={event} />
        {actor === null ? null : (
          <span className="block text-xs text-soft">
            by <PlainText text={actor} />
          </span>
        )}
        {replayOf === null ? null : <span className="block text-xs text-soft">replayed</span>}
      </>
    ),
  },
  { head: 'At', label: 'At', cell: ({ at }) => <Ago time={at} /> },
  ...(mayWrite
    ? [
        {
          head: 'Actions',
          isHeadHidden: true,
          kind: 'end' as const,
          cell: (delivery: TriggerDelivery) =>
            delivery.canReplay ? <Replay triggerId={triggerId} delivery={delivery} /> : null,
        },
      ]
    : []),
];

export function DeliveryLog({ id }: { id: string }) {
  const mayWrite = useMayWrite();
  const deliveries = useTriggerDeliveries(id);
  return (
    <Card>
      <CardHead title="Deliveries" />
      <List
        query={deliveries}
        noun="delivery"
        rows={3}
        empty={
          <EmptyState title="Nothing came yet">
            Each call shows up here, with what it started or why it started nothing.
          </EmptyState>
        }
        foot={() => <ShowOlder query={deliveries} />}
      >
        {({ items }) => (
          <Table
            label="Deliveries"
            columns={columnsOf(id, mayWrite)}
            rows={items}
            keyOf={(each) => each.id}
          />
        )}
      </List>
    </Card>
  );
}
