// The rules of a schedule or a trigger, and as whom its runs act.
import type { ReactNode } from 'react';
import { formatDollars } from '../../ui/format.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { OVERLAP_WORDS } from './rule-fields.tsx';
import type { Rules } from './rules-draft.ts';
import { StarterState } from './starter-state.tsx';

interface Starter extends Rules {
  status: 'active' | 'paused';
  pausedReason: Parameters<typeof StarterState>[0]['starter']['pausedReason'];
  pausedAt: string | null;
  spentUsdThisMonth: number;
  owner: { email: string };
  work: { project: string };
}

export function StarterFacts({ starter, children }: { starter: Starter; children?: ReactNode }) {
  const { overlap, budgetUsdPerMonth, spentUsdThisMonth, pauseAfterFailures } = starter;
  return (
    <Facts>
      <Fact name="State">
        <StarterState starter={{ ...starter, pausedReason: null }} />
      </Fact>
      <Fact name="Project">{starter.work.project}</Fact>
      {children}
      <Fact name="Runs act and pay as">{starter.owner.email}</Fact>
      <Fact name="Spent this month">
        {formatDollars(spentUsdThisMonth)}
        {budgetUsdPerMonth === null ? '' : ` of ${formatDollars(budgetUsdPerMonth)}`}
      </Fact>
      <Fact name="While an earlier run has not ended">{OVERLAP_WORDS[overlap]}</Fact>
      <Fact name="Pause after">
        {pauseAfterFailures === null
          ? 'No number of failures'
          : pauseAfterFailures === 1
            ? 'One failure'
            : `${pauseAfterFailures} failures in a row`}
      </Fact>
    </Facts>
  );
}
