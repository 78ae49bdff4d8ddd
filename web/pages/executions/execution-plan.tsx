// The plan of a dry run: what would run, in which order, and what it may cost.
import type { Execution } from '../../../src/contract/execution-api.ts';
import { formatDollars, formatShort, plural } from '../../ui/format.ts';
import { Card, CardHead } from '../../ui/surface.tsx';

type Plan = NonNullable<NonNullable<Execution['result']>['plan']>;

function List({ name, values }: { name: string; values: readonly string[] }) {
  if (values.length === 0) return null;
  return (
    <div className="text-xs">
      <span className="text-faint">{name} </span>
      <span className="font-mono break-all">{values.join(', ')}</span>
    </div>
  );
}

export function ExecutionPlan({ plan }: { plan: Plan }) {
  const { estimatedCostUsd: cost, estimatedTokens, streams, waves } = plan;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-soft">
        {plural(streams.length, 'step')} in {plural(waves.length, 'wave')}, about{' '}
        {formatShort(estimatedTokens)} tokens,{' '}
        {cost === null ? 'price unknown' : `about ${formatDollars(cost)}`}.
      </p>
      {waves.map((ids, index) => (
        <Card key={index}>
          <CardHead title={`Wave ${index + 1}`} />
          <ul className="divide-y divide-line">
            {streams
              .filter(({ streamId }) => ids.includes(streamId))
              .map((stream) => (
                <li key={stream.streamId} className="flex flex-col gap-1.5 px-4 py-3">
                  <div className="flex flex-wrap items-baseline gap-2">
                    <span className="text-sm font-medium">{stream.name}</span>
                    <span className="font-mono text-2xs text-faint">{stream.streamId}</span>
                  </div>
                  <p className="text-sm whitespace-pre-wrap text-soft">{stream.plan}</p>
                  <List name="after" values={stream.deps} />
                  <List name="writes" values={stream.owns} />
                  <List name="reads" values={stream.reads} />
                </li>
              ))}
          </ul>
        </Card>
      ))}
    </div>
  );
}
