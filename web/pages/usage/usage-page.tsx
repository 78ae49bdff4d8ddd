// What the team has used in a month, what it may still use, and where it went.
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from '../../ui/icons.tsx';
import type { CurrentUsage, UsageHistory } from '../../../src/contract/usage-api.ts';
import { forecastUsd } from '../../../src/domain/usage/forecast.ts';
import { api } from '../../api/client.ts';
import { download } from '../../api/download.ts';
import { Button } from '../../ui/button.tsx';
import { Cost } from '../../ui/cost.tsx';
import { Select } from '../../ui/field.tsx';
import { formatCount, formatDollars, formatShort, plural } from '../../ui/format.ts';
import { Meter } from '../../ui/meter.tsx';
import { Card, CardHead, Loaded, PageHead } from '../../ui/surface.tsx';
import { Breakdown } from './breakdown.tsx';
import { BudgetCard } from './budget-card.tsx';
import { DayBars } from './day-bars.tsx';
import { MEASURES } from './measure.ts';
import { Stat } from './stat.tsx';

/** This month and the eleven before it, in UTC as the server counts. */
function recentMonths(): string[] {
  const now = new Date();
  return Array.from({ length: 12 }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

function monthName(month: string): string {
  const options = { timeZone: 'UTC', month: 'long', year: 'numeric' } as const;
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', options);
}

function forecastOf({ budget, periodStart, periodEnd }: CurrentUsage): string {
  const month = {
    startMs: Date.parse(periodStart),
    endMs: Date.parse(periodEnd),
    nowMs: Date.now(),
  };
  const usd = forecastUsd(budget.spentUsd, month);
  return usd === undefined
    ? 'Too early for a forecast'
    : `About ${formatDollars(usd)} by the end of the month`;
}

/** Calls whose price nobody knows, in words. */
function unknownNote({ unknownPrice }: { unknownPrice: { calls: number } }): string | undefined {
  if (unknownPrice.calls === 0) return undefined;
  return `${plural(unknownPrice.calls, 'call')} without a known price not included`;
}

/** What simulated models would have cost, in words. */
function simulatedNote({ simulatedCostUsd }: { simulatedCostUsd: number }): string | undefined {
  if (simulatedCostUsd === 0) return undefined;
  return `${formatDollars(simulatedCostUsd)} simulated, not charged`;
}

function TokensStat({ tokens }: { tokens: UsageHistory['totals']['tokens'] }) {
  const share = tokens.input > 0 ? Math.round((100 * tokens.cachedInput) / tokens.input) : 0;
  return (
    <Stat
      name="Tokens"
      value={formatShort(tokens.input + tokens.output)}
      note={`${formatShort(tokens.input)} in (${share}% cached), ${formatShort(tokens.output)} out`}
    />
  );
}

function ThisMonth({ usage }: { usage: CurrentUsage }) {
  const { runs, rateLimit, recorded } = usage;
  return (
    <div className="mb-4 grid grid-cols-2 gap-3 max-lg:[&>:last-child]:col-span-2 lg:grid-cols-3 xl:grid-cols-5">
      <Stat
        name="Spend"
        value={formatDollars(usage.budget.spentUsd)}
        note={
          <>
            {forecastOf(usage)}
            {unknownNote(usage) ? (
              <span className="block text-warn">{unknownNote(usage)}</span>
            ) : null}
            {simulatedNote(usage) ? <span className="block">{simulatedNote(usage)}</span> : null}
            {recorded.costUsd ? (
              <span className="block">{formatDollars(recorded.costUsd)} recorded by clients</span>
            ) : null}
          </>
        }
      />
      <BudgetCard budget={usage.budget} />
      <Stat
        name="Runs"
        value={formatCount(runs.used)}
        note={
          runs.limit === null
            ? `No limit on the ${usage.tier} plan`
            : `${formatCount(runs.remaining ?? 0)} of ${formatCount(runs.limit)} left this month`
        }
      >
        {runs.limit === null ? null : <Meter label="Runs" used={runs.used} limit={runs.limit} />}
      </Stat>
      <TokensStat tokens={usage.tokens} />
      <Stat
        name="Request rate"
        value={formatShort(rateLimit.requestsPerMinute)}
        note="requests a minute allowed, for each user"
      />
    </div>
  );
}

function PastMonth({ usage: { totals } }: { usage: UsageHistory }) {
  return (
    <div className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-3">
      <Stat
        name="Spend"
        value={<Cost usd={totals.costUsd} />}
        note={unknownNote(totals) ?? simulatedNote(totals)}
      />
      <Stat name="Jobs" value={formatCount(totals.jobs)} note="that called a model" />
      <TokensStat tokens={totals.tokens} />
    </div>
  );
}

export function UsagePage() {
  const { month, by = 'model', show = 'cost' } = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const months = recentMonths();
  const isNow = month === undefined || month === months[0];
  const current = useQuery({
    queryKey: ['usage', 'current'],
    queryFn: () => api.usage.current(),
    enabled: isNow,
  });
  const history = useQuery({
    queryKey: ['usage', 'history', month],
    queryFn: () => api.usage.history(month === undefined ? {} : { month }),
    placeholderData: keepPreviousData,
  });
  const csv = useMutation({
    mutationFn: () => {
      const name = month ?? months[0]!;
      return download(`/v1/usage/history?format=csv&month=${name}`, `usage-${name}.csv`);
    },
  });
  const measure = MEASURES.find(({ id }) => id === show) ?? MEASURES[0]!;
  const set = (change: { month?: string | undefined; by?: string; show?: string }) =>
    void navigate({ search: (search) => ({ ...search, ...change }), replace: true });
  return (
    <>
      <PageHead
        title="Usage"
        lead={
          <span className="hidden sm:inline">
            What your team spends, and what it may still use.
          </span>
        }
      >
        <Select
          aria-label="Month"
          value={month ?? months[0]}
          onChange={({ target }) =>
            set({ month: target.value === months[0] ? undefined : target.value })
          }
        >
          {(month === undefined || months.includes(month) ? months : [month, ...months]).map(
            (each) => (
              <option key={each} value={each}>
                {monthName(each)}
              </option>
            ),
          )}
        </Select>
        <Button icon={<Download />} busy={csv.isPending} onClick={() => csv.mutate()}>
          CSV
        </Button>
      </PageHead>
      {isNow ? (
        <Loaded query={current} rows={3}>
          {(usage) => <ThisMonth usage={usage} />}
        </Loaded>
      ) : null}
      <Loaded query={history} rows={8}>
        {(usage) => (
          <>
            {isNow ? null : <PastMonth usage={usage} />}
            <Card className="mb-4">
              <CardHead title={`${measure.label} by day`}>
                <Select
                  aria-label="Show"
                  value={measure.id}
                  onChange={({ target }) => set({ show: target.value })}
                >
                  {MEASURES.map(({ id, label }) => (
                    <option key={id} value={id}>
                      {label}
                    </option>
                  ))}
                </Select>
              </CardHead>
              <DayBars days={usage.days} measure={measure} />
            </Card>
            <Card>
              <Breakdown usage={usage} by={by} onChange={(id) => set({ by: id })} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
}
