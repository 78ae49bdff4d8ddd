// What each time of a schedule came to, newest first.
import type { ScheduleFiring } from '../../../src/contract/schedule-api.ts';
import { plural } from '../../ui/format.ts';
import { List } from '../../ui/list.tsx';
import { Card, CardHead, EmptyState } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { StartResult } from '../starts/start-result.tsx';
import { useFirings } from './use-schedules.ts';

const CAUSES: Readonly<Record<ScheduleFiring['cause'], string>> = {
  time: 'Its time',
  catch_up: 'Its time, late',
  manual: 'Run now',
};

const COLUMNS: readonly Column<ScheduleFiring>[] = [
  { head: 'What came of it', kind: 'title', cell: (firing) => <StartResult start={firing} /> },
  {
    head: 'Because of',
    label: 'Because of',
    cell: ({ cause, missed, cancelled }) => (
      <>
        {CAUSES[cause]}
        {missed > 0 ? (
          <span className="block text-xs text-soft">{plural(missed, 'time')} missed</span>
        ) : null}
        {cancelled > 0 ? (
          <span className="block text-xs text-soft">
            {plural(cancelled, 'earlier run')} cancelled
          </span>
        ) : null}
      </>
    ),
  },
  { head: 'At', kind: 'end', cell: ({ at }) => <Ago time={at} /> },
];

export function FiringLog({ id }: { id: string }) {
  const firings = useFirings(id);
  return (
    <Card>
      <CardHead title="What happened" />
      <List
        query={firings}
        noun="time"
        rows={3}
        empty={
          <EmptyState title="It was not due yet">
            What each of its times starts, or why it starts nothing, shows up here.
          </EmptyState>
        }
      >
        {({ items }) => (
          <Table label="What happened" columns={COLUMNS} rows={items} keyOf={(each) => each.id} />
        )}
      </List>
    </Card>
  );
}
