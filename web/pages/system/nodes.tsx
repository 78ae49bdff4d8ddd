import type { SystemState } from '../../../src/contract/system-api.ts';
import { CopyId } from '../../ui/copy.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Meter } from '../../ui/meter.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import { ROW, Table, Td, Th } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';

/** Nodes report every second; one that is silent for so long is about to be given up. */
const SILENT_MS = 5000;

export function Nodes({ nodes }: Pick<SystemState, 'nodes'>) {
  return (
    <Card>
      <CardHead title="Nodes" />
      <Table label="Nodes">
        <thead>
          <tr>
            <Th>Node</Th>
            <Th>State</Th>
            <Th>Role</Th>
            <Th>Version</Th>
            <Th>Slots in use</Th>
            <Th className="text-right">Heartbeat</Th>
            <Th className="text-right">Started</Th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.id} className={ROW}>
              <Td className="row-title">
                <CopyId id={node.id} />
              </Td>
              <Td>
                {node.heartbeatAgeMs > SILENT_MS ? (
                  <StatusBadge status="blocked" word="Silent" />
                ) : (
                  <StatusBadge status="success" word="Up" />
                )}
              </Td>
              <Td label="Role">{node.role}</Td>
              <Td label="Version" className="tabular">
                {node.version}
              </Td>
              <Td label="Slots" className="min-w-32 tabular">
                {node.running} of {node.slots}
                {node.slots > 0 ? (
                  <div className="mt-1.5 w-24">
                    <Meter label={`Slots of ${node.id}`} used={node.running} limit={node.slots} />
                  </div>
                ) : null}
              </Td>
              <Td label="Heartbeat" className="text-right whitespace-nowrap tabular">
                {formatDuration(node.heartbeatAgeMs)} ago
              </Td>
              <Td className="text-right">
                <Ago time={node.startedAt} />
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}
