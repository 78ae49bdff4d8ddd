// Where a month went: by model, member, key or day, and what calls of no run took of it.
import { Link } from '@tanstack/react-router';
import type { UsageHistory } from '../../../src/contract/usage-api.ts';
import { Cost } from '../../ui/cost.tsx';
import { formatCount, formatDollars, formatShort } from '../../ui/format.ts';
import { EmptyState } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
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

const keyNameOf = ({ keyId, name }: { keyId: string | null; name: string | null }) =>
  keyId === null ? 'Signed in, without a key' : (name ?? 'Deleted key');

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
        name: keyNameOf(each),
        note: each.keyId ?? undefined,
      }));
    case 'calls':
      return usage.callsByKeyAndDay.map((each) => ({
        ...each,
        id: `${each.date} ${each.keyId ?? 'none'}`,
        name: keyNameOf(each),
        note: each.date,
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
  ['calls', 'Model calls'],
] as const;

function columnsOf(label: string, count: string, totalUsd: number): readonly Column<Line>[] {
  return [
    {
      head: label,
      kind: 'title',
      className: 'max-w-72',
      cell: ({ name, note }) => (
        <>
          <span className="block truncate font-medium">{name}</span>
          {note ? <span className="block truncate text-2xs text-faint">{note}</span> : null}
        </>
      ),
    },
    { head: count, label: count, kind: 'number', cell: ({ jobs }) => formatCount(jobs) },
    {
      head: 'Tokens in',
      label: 'In',
      kind: 'number',
      cell: ({ tokens }) => formatShort(tokens.input),
    },
    {
      head: 'Cached',
      label: 'Cached',
      kind: 'number',
      cell: ({ tokens }) => formatShort(tokens.cachedInput),
    },
    {
      head: 'Tokens out',
      label: 'Out',
      kind: 'number',
      cell: ({ tokens }) => formatShort(tokens.output),
    },
    {
      head: 'Cost',
      label: 'Cost',
      kind: 'number',
      cell: ({ costUsd, unknownPrice, simulatedCostUsd }) => (
        <>
          <Cost usd={costUsd} unpriced={unknownPrice.calls} />
          {simulatedCostUsd > 0 ? (
            <span className="block text-2xs text-faint">
              {formatDollars(simulatedCostUsd)} simulated
            </span>
          ) : null}
        </>
      ),
    },
    {
      head: 'Share',
      headClassName: 'w-32',
      cell: ({ costUsd }) => (
        <span className="mt-1.5 block h-1.5 w-24 overflow-hidden rounded-full bg-hover">
          <span
            className="block h-full bg-accent"
            style={{ width: `${totalUsd > 0 ? (100 * (costUsd ?? 0)) / totalUsd : 0}%` }}
          />
        </span>
      ),
    },
  ];
}

function Lines({ usage, by, label }: { usage: UsageHistory; by: string; label: string }) {
  const lines = linesOf(usage, by);
  const totalUsd = lines.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  if (lines.length === 0 && by === 'calls') {
    return (
      <EmptyState title="No calls this month">
        Calls through the{' '}
        <Link to="/connect" search={{}} hash="model-endpoint" className="text-accent underline">
          model endpoint
        </Link>{' '}
        that belong to no run are listed here, by key and day.
      </EmptyState>
    );
  }
  if (lines.length === 0) {
    return (
      <EmptyState title="Nothing used this month">
        Jobs count from the moment they call a model.
      </EmptyState>
    );
  }
  return (
    <Table
      label={`Usage by ${label.toLowerCase()}`}
      columns={columnsOf(
        by === 'calls' ? 'Key and day' : label,
        by === 'calls' ? 'Calls' : 'Jobs',
        totalUsd,
      )}
      rows={lines}
      keyOf={({ id }) => id}
    />
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
