// Two runs side by side: what changed in time, tokens, cost and files, stream by stream.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight, GitCompare } from '../../ui/icons.tsx';
import type { ReactNode } from 'react';
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { api } from '../../api/client.ts';
import { isComing, useRunStore, useRunVersion } from '../../live/run-store.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { formatDollars, formatDuration, formatShort } from '../../ui/format.ts';
import { StatusBadge, StatusIcon, lookOf } from '../../ui/status.tsx';
import { Card, EmptyState, ErrorState, PageHead, Skeleton } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { comparedRun } from './compared-run.ts';
import type { ComparedRun, ComparedStream } from './compared-run.ts';
import { Delta } from './delta.tsx';

const MOST_CHOICES = 100;
const SHORT_TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

interface Compared {
  run: ComparedRun | undefined;
  error: unknown;
  refetch(): unknown;
}

function useCompared(runId: string): Compared {
  const store = useRunStore(runId);
  useRunVersion(store);
  const { data, error, refetch } = useQuery({
    queryKey: ['run', runId],
    queryFn: () => api.getRun(runId),
  });
  const isHere = data !== undefined && !isComing(store, data.run);
  return { run: isHere ? comparedRun(data, store.projection) : undefined, error, refetch };
}

function Choice({
  label,
  value,
  runs,
  onChange,
}: {
  label: string;
  value: string | undefined;
  runs: readonly RunSummary[];
  onChange: (id: string) => void;
}) {
  const isListed = value === undefined || runs.some(({ id }) => id === value);
  return (
    <Select
      aria-label={label}
      className="!w-full sm:!w-96"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{label}</option>
      {isListed ? null : <option value={value}>{value}</option>}
      {runs.map(({ id, feature, startedAt }) => (
        <option key={id} value={id}>
          {feature}, {SHORT_TIME.format(new Date(startedAt))}
        </option>
      ))}
    </Select>
  );
}

function State({ status }: { status: string | undefined }) {
  if (status === undefined) return <span className="text-faint">not in it</span>;
  return (
    <span className="inline-flex items-center gap-1">
      <StatusIcon status={status} className="size-3.5" />
      {lookOf(status).word}
    </span>
  );
}

function Head({ title, run }: { title: string; run: ComparedRun }) {
  return (
    <div className="min-w-0 flex-1 px-4 py-3">
      <div className="text-xs text-faint">{title}</div>
      <Link
        to="/runs/$runId"
        params={{ runId: run.id }}
        className="block truncate text-sm font-semibold hover:text-accent hover:underline"
      >
        {run.name}
      </Link>
      <div className="mt-1 flex flex-wrap items-center gap-2 text-xs text-soft">
        <StatusBadge status={run.status} />
        {run.model}
      </div>
    </div>
  );
}

function Total({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="px-4 py-3">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 text-sm">{children}</dd>
    </div>
  );
}

interface Pair {
  id: string;
  left: ComparedStream | undefined;
  right: ComparedStream | undefined;
}

function delta(
  head: string,
  name: 'durationMs' | 'tokens' | 'costUsd' | 'files',
  format: (value: number) => string,
): Column<Pair> {
  return {
    head,
    label: head,
    kind: 'end',
    cell: ({ left, right }) => (
      <Delta before={left?.[name]} after={right?.[name]} format={format} />
    ),
  };
}

const COLUMNS: readonly Column<Pair>[] = [
  {
    head: 'Stream',
    kind: 'title',
    className: 'font-medium',
    cell: ({ left, right }) => (right ?? left)!.name,
  },
  {
    head: 'First',
    label: 'First',
    className: 'text-xs whitespace-nowrap',
    cell: ({ left }) => <State status={left?.status} />,
  },
  {
    head: 'Second',
    label: 'Second',
    className: 'text-xs whitespace-nowrap',
    cell: ({ right }) => <State status={right?.status} />,
  },
  delta('Time', 'durationMs', formatDuration),
  delta('Tokens', 'tokens', formatShort),
  delta('Cost', 'costUsd', formatDollars),
  delta('Files', 'files', String),
];

function Comparison({ a, b }: { a: string; b: string }) {
  const first = useCompared(a);
  const second = useCompared(b);
  const error = first.error ?? second.error;
  if (error) {
    const retry = () => Promise.all([first.refetch(), second.refetch()]);
    return <ErrorState error={error} onRetry={() => void retry()} />;
  }
  if (first.run === undefined || second.run === undefined) return <Skeleton />;
  const [one, two] = [first.run, second.run];
  const ids = [...new Set([...one.streams.keys(), ...two.streams.keys()])];
  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap border-b border-line sm:divide-x sm:divide-line">
        <Head title="First" run={one} />
        <Head title="Second" run={two} />
      </div>
      <dl className="flex flex-wrap border-b border-line">
        <Total name="Time">
          <Delta before={one.durationMs} after={two.durationMs} format={formatDuration} />
        </Total>
        <Total name="Cost">
          <Delta before={one.costUsd} after={two.costUsd} format={formatDollars} />
        </Total>
        <Total name="Tokens">
          <Delta before={one.tokens} after={two.tokens} format={formatShort} />
        </Total>
        <Total name="Files changed">
          <Delta before={one.files} after={two.files} format={String} />
        </Total>
      </dl>
      <Table
        label="Streams of both runs"
        columns={COLUMNS}
        rows={ids.map((id) => ({ id, left: one.streams.get(id), right: two.streams.get(id) }))}
        keyOf={({ id }) => id}
      />
    </Card>
  );
}

export function ComparePage() {
  const { a, b } = useSearch({ from: '/compare' });
  const navigate = useNavigate({ from: '/compare' });
  const runs = useQuery({
    queryKey: ['runs', 'to compare'],
    queryFn: () => api.listRuns({ limit: MOST_CHOICES }),
  });
  const set = (next: { a?: string | undefined; b?: string | undefined }) => {
    const { a: first, b: second } = { a, b, ...next };
    void navigate({
      search: { ...(first ? { a: first } : {}), ...(second ? { b: second } : {}) },
    });
  };
  const choices = runs.data?.items ?? [];
  return (
    <>
      <PageHead title="Compare runs" lead="What changed from the first run to the second." />
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <Choice label="First run" value={a} runs={choices} onChange={(id) => set({ a: id })} />
        <Choice label="Second run" value={b} runs={choices} onChange={(id) => set({ b: id })} />
        <Button icon={<ArrowLeftRight />} disabled={!a || !b} onClick={() => set({ a: b, b: a })}>
          Swap
        </Button>
      </div>
      {a && b ? (
        <Comparison key={`${a} ${b}`} a={a} b={b} />
      ) : (
        <Card>
          <EmptyState icon={<GitCompare />} title="Choose two runs">
            Choose them above, or select two in the list of runs.
          </EmptyState>
        </Card>
      )}
    </>
  );
}
