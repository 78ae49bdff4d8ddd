import { formatShort } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Card } from '../../ui/surface.tsx';
import { ROW, Table, Td, Th } from '../../ui/table.tsx';
import type { RunView } from './run-context.ts';

/** Of a run whose jobs came one by one, without a plan. */
export function RecordedStreams({ recorded }: RunView) {
  return (
    <Card>
      <Table label="Streams">
        <thead>
          <tr>
            <Th>Stream</Th>
            <Th>Status</Th>
            <Th className="text-right">Wave</Th>
            <Th className="text-right">Tokens in</Th>
            <Th className="text-right">Tokens out</Th>
            <Th>Files</Th>
          </tr>
        </thead>
        <tbody>
          {(recorded?.streams ?? []).map((stream) => (
            <tr key={stream.streamId} className={ROW}>
              <Td className="row-title font-medium">{stream.name}</Td>
              <Td>
                <StatusBadge status={stream.status} />
              </Td>
              <Td label="Wave" className="text-right tabular">
                {stream.waveNumber}
              </Td>
              <Td label="In" className="text-right tabular">
                {formatShort(stream.tokensInput)}
              </Td>
              <Td label="Out" className="text-right tabular">
                {formatShort(stream.tokensOutput)}
              </Td>
              <Td className="font-mono text-xs text-soft">{stream.filesChanged.join(', ')}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}
