import { formatShort } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Card } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import type { RunView } from './run-context.ts';

type Stream = NonNullable<RunView['recorded']>['streams'][number];

const COLUMNS: readonly Column<Stream>[] = [
  { head: 'Stream', kind: 'title', className: 'font-medium', cell: ({ name }) => name },
  { head: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { head: 'Model', cell: ({ model }) => model },
  { head: 'Wave', label: 'Wave', kind: 'number', cell: ({ waveNumber }) => waveNumber },
  {
    head: 'Tokens in',
    label: 'In',
    kind: 'number',
    cell: ({ tokensInput }) => formatShort(tokensInput),
  },
  {
    head: 'Tokens out',
    label: 'Out',
    kind: 'number',
    cell: ({ tokensOutput }) => formatShort(tokensOutput),
  },
  {
    head: 'Files',
    className: 'font-mono text-xs text-soft',
    cell: ({ filesChanged }) => filesChanged.join(', '),
  },
];

/** Of a run whose jobs came one by one, without a plan. */
export function RecordedStreams({ recorded }: RunView) {
  return (
    <Card>
      <Table
        label="Streams"
        columns={COLUMNS}
        rows={recorded?.streams ?? []}
        keyOf={({ streamId }) => streamId}
      />
    </Card>
  );
}
