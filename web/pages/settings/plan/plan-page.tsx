// The plan of the team: what is in force, its limits, and what comes next.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Subscription } from '../../../../src/contract/billing-api.ts';
import { api } from '../../../api/client.ts';
import { formatCount } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/status.tsx';
import { Card, CardHead, Loaded, PageHead } from '../../../ui/surface.tsx';
import { useMay } from '../../../session/rights.ts';
import { ChangePlan } from './change-plan.tsx';
import { TIER_LABELS } from './tiers.ts';

const day = (time: string) =>
  new Date(time).toLocaleDateString('en', { day: 'numeric', month: 'long', year: 'numeric' });

const limit = (count: number | null) => (count === null ? 'No limit' : formatCount(count));

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="px-4 py-3">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 text-base font-semibold tabular">{children}</dd>
    </div>
  );
}

function nextOf({
  scheduled,
  cancelAtPeriodEnd,
  currentPeriodEnd,
  tier,
  provider,
}: Subscription): string {
  if (scheduled) return `Changes to ${TIER_LABELS[scheduled.tier]} on ${day(scheduled.at)}.`;
  if (cancelAtPeriodEnd) return `Ends on ${day(currentPeriodEnd)}.`;
  if (provider === 'manual' && tier === 'enterprise') return 'Set by the operator of this server.';
  return tier === 'trial' ? 'Free of charge.' : `Renews on ${day(currentPeriodEnd)}.`;
}

export function PlanPage() {
  const mayBill = useMay('bill');
  const plan = useQuery({
    queryKey: ['plan'],
    queryFn: ({ signal }) => api.billing.subscription({ signal }),
  });
  return (
    <>
      <PageHead title="Plan" lead="What the team may use, and what it pays for." />
      <Loaded query={plan}>
        {(data) => (
          <>
            <Card className="mb-6">
              <CardHead title={TIER_LABELS[data.tier]}>
                <StatusBadge
                  status={
                    data.status === 'active' || data.status === 'trialing' ? 'complete' : 'failed'
                  }
                  word={data.status.replace('_', ' ')}
                />
              </CardHead>
              <dl className="grid grid-cols-2 sm:grid-cols-4">
                <Fact name="Runs a month">{limit(data.quota.runsPerMonth)}</Fact>
                <Fact name="Requests a minute">{limit(data.quota.requestsPerMinute)}</Fact>
                <Fact name="Jobs at once">{limit(data.quota.concurrentJobs)}</Fact>
                <Fact name="Seats">{formatCount(data.seats)}</Fact>
              </dl>
              <p className="border-t border-line px-4 py-2.5 text-sm text-soft">{nextOf(data)}</p>
            </Card>
            {mayBill ? (
              <ChangePlan plan={data} />
            ) : (
              <p className="text-sm text-soft">Owners of the team change its plan.</p>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
