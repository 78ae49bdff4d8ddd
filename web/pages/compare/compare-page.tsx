// Two runs side by side: what changed in time, tokens, cost and files, stream by stream.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight, GitCompare } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { api } from '../../api/client.ts';
import { isComing, useRunStore, useRunVersion } from '../../live/run-store.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { formatDollars, formatDuration, formatShort } from '../../ui/format.ts';
import { StatusBadge, StatusIcon, lookOf } from '../../ui/status.tsx';
import { Card, EmptyState, ErrorState, PageHead, Skeleton } from '../../ui/surface.tsx';
import { ROW, Table, Td, Th } from '../../ui/table.tsx';
import { comparedRun } from './compared-run.ts';
import type { ComparedRun } from './compared-run.ts';
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
      <Table label="Streams of both runs">
        <thead>
          <tr>
            <Th>Stream</Th>
            <Th>First</Th>
            <Th>Second</Th>
            <Th className="text-right">Time</Th>
            <Th className="text-right">Tokens</Th>
            <Th className="text-right">Cost</Th>
            <Th className="text-right">Files</Th>
          </tr>
        </thead>
        <tbody>
          {ids.map((id) => {
            const [left, right] = [one.streams.get(id), two.streams.get(id)];
            return (
              <tr key={id} className={ROW}>
                <Td className="row-title font-medium">{(right ?? left)!.name}</Td>
                <Td label="First" className="text-xs whitespace-nowrap">
                  <State status={left?.status} />
                </Td>
                <Td label="Second" className="text-xs whitespace-nowrap">
                  <State status={right?.status} />
                </Td>
                <Td label="Time" className="text-right">
                  <Delta
                    before={left?.durationMs}
                    after={right?.durationMs}
                    format={formatDuration}
                  />
                </Td>
                <Td label="Tokens" className="text-right">
                  <Delta before={left?.tokens} after={right?.tokens} format={formatShort} />
                </Td>
                <Td label="Cost" className="text-right">
                  <Delta before={left?.costUsd} after={right?.costUsd} format={formatDollars} />
                </Td>
                <Td label="Files" className="text-right">
                  <Delta before={left?.files} after={right?.files} format={String} />
                </Td>
              </tr>
            );
          })}
        </tbody>
      </Table>
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
