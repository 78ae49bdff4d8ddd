import type { SystemState } from '../../../src/contract/system-api.ts';
import { CopyId } from '../../ui/copy.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Meter } from '../../ui/meter.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';

/** Nodes report every second; one that is silent for so long is about to be given up. */
const SILENT_MS = 5000;

type Node = SystemState['nodes'][number];

const COLUMNS: readonly Column<Node>[] = [
  { head: 'Node', kind: 'title', cell: ({ id }) => <CopyId id={id} /> },
  {
    head: 'State',
    cell: ({ heartbeatAgeMs }) =>
      heartbeatAgeMs > SILENT_MS ? (
        <StatusBadge status="blocked" word="Silent" />
      ) : (
        <StatusBadge status="success" word="Up" />
      ),
  },
  { head: 'Role', label: 'Role', cell: ({ role }) => role },
  { head: 'Version', label: 'Version', className: 'tabular', cell: ({ version }) => version },
  {
    head: 'Slots in use',
    label: 'Slots',
    className: 'min-w-32 tabular',
    cell: ({ id, running, slots }) => (
      <>
        {running} of {slots}
        {slots > 0 ? (
          <div className="mt-1.5 w-24">
            <Meter label={`Slots of ${id}`} used={running} limit={slots} />
          </div>
        ) : null}
      </>
    ),
  },
  {
    head: 'Heartbeat',
    label: 'Heartbeat',
    kind: 'number',
    cell: ({ heartbeatAgeMs }) => `${formatDuration(heartbeatAgeMs)} ago`,
  },
  { head: 'Started', kind: 'end', cell: ({ startedAt }) => <Ago time={startedAt} /> },
];

export function Nodes({ nodes }: Pick<SystemState, 'nodes'>) {
  return (
    <Card>
      <CardHead title="Nodes" />
      <Table label="Nodes" columns={COLUMNS} rows={nodes} keyOf={({ id }) => id} />
    </Card>
  );
}
