// Where a month went: by model, member, key or day.
import type { UsageHistory } from '../../../src/contract/usage-api.ts';
import { Cost } from '../../ui/cost.tsx';
import { formatCount, formatDollars, formatShort } from '../../ui/format.ts';
import { EmptyState } from '../../ui/surface.tsx';
import { ROW, Table, Td, Th } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';

interface Line {
  id: string;
  name: string;
  note?: string | undefined;
  jobs: number;
  tokens: { input: number; output: number; cachedInput: number };
  costUsd: number | null;
  simulatedCostUsd: number;
  unknownPrice: { calls: number };
}

function linesOf(usage: UsageHistory, by: string): Line[] {
  switch (by) {
    case 'member':
      return usage.byMember.map((each) => ({
        ...each,
        id: each.userId,
        name: each.name ?? each.email ?? 'Deleted account',
        note: each.name ? (each.email ?? undefined) : undefined,
      }));
    case 'key':
      return usage.byKey.map((each) => ({
        ...each,
        id: each.keyId ?? 'none',
        name: each.keyId === null ? 'Signed in, without a key' : (each.name ?? 'Deleted key'),
        note: each.keyId ?? undefined,
      }));
    case 'day':
      return usage.days
        .filter(({ jobs, recorded }) => jobs > 0 || recorded.runs > 0)
        .map((each) => ({ ...each, id: each.date, name: each.date }))
        .toReversed();
    default:
      return usage.byModel.map((each) => ({
        ...each,
        id: `${each.provider} ${each.model}`,
        name: each.model,
        note: each.provider,
      }));
  }
}

const VIEWS = [
  ['model', 'Model'],
  ['member', 'Member'],
  ['key', 'Key'],
  ['day', 'Day'],
] as const;

function Lines({ usage, by, label }: { usage: UsageHistory; by: string; label: string }) {
  const lines = linesOf(usage, by);
  const total = lines.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  if (lines.length === 0) {
    return (
      <EmptyState title="Nothing used this month">
        Jobs count from the moment they call a model.
      </EmptyState>
    );
  }
  return (
    <Table label={`Usage by ${label.toLowerCase()}`}>
      <thead>
        <tr>
          <Th>{label}</Th>
          <Th className="text-right">Jobs</Th>
          <Th className="text-right">Tokens in</Th>
          <Th className="text-right">Cached</Th>
          <Th className="text-right">Tokens out</Th>
          <Th className="text-right">Cost</Th>
          <Th className="w-32">Share</Th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id} className={ROW}>
            <Td className="row-title max-w-72">
              <span className="block truncate font-medium">{line.name}</span>
              {line.note ? (
                <span className="block truncate text-2xs text-faint">{line.note}</span>
              ) : null}
            </Td>
            <Td label="Jobs" className="text-right tabular">
              {formatCount(line.jobs)}
            </Td>
            <Td label="In" className="text-right tabular">
              {formatShort(line.tokens.input)}
            </Td>
            <Td label="Cached" className="text-right tabular">
              {formatShort(line.tokens.cachedInput)}
            </Td>
            <Td label="Out" className="text-right tabular">
              {formatShort(line.tokens.output)}
            </Td>
            <Td label="Cost" className="text-right whitespace-nowrap tabular">
              <Cost usd={line.costUsd} unpriced={line.unknownPrice.calls} />
              {line.simulatedCostUsd > 0 ? (
                <span className="block text-2xs text-faint">
                  {formatDollars(line.simulatedCostUsd)} simulated
                </span>
              ) : null}
            </Td>
            <Td>
              <span className="mt-1.5 block h-1.5 w-24 overflow-hidden rounded-full bg-hover">
                <span
                  className="block h-full bg-accent"
                  style={{ width: `${total > 0 ? (100 * (line.costUsd ?? 0)) / total : 0}%` }}
                />
              </span>
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function Breakdown({
  usage,
  by,
  onChange,
}: {
  usage: UsageHistory;
  by: string;
  onChange: (by: string) => void;
}) {
  return (
    <div className="px-4 pt-2 pb-4">
      <Tabs
        label="Usage by"
        value={by}
        onChange={onChange}
        tabs={VIEWS.map(([id, label]) => ({
          id,
          label,
          body: () => <Lines usage={usage} by={id} label={label} />,
        }))}
      />
    </div>
  );
}
