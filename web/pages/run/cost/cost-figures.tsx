// What the run came to, at a glance.
import { plusEstimate } from '../../../../src/domain/run/estimate-text.ts';
import type { ReactNode } from 'react';
import { formatCount, formatDollars, plural } from '../../../ui/format.ts';
import { Meter } from '../../../ui/meter.tsx';
import type { CacheSaving } from './model-costs.ts';
import type { CostSum } from './stream-costs.ts';

function Figure({ name, value, children }: { name: string; value: string; children?: ReactNode }) {
  return (
    <div className="min-w-36 flex-1 px-4 py-3">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 text-lg font-semibold tracking-tight tabular">{value}</dd>
      {children ? <dd className="mt-0.5 text-xs text-soft">{children}</dd> : null}
    </div>
  );
}

function Budget({ limitUsd, spentUsd }: { limitUsd: number; spentUsd: number }) {
  const share = limitUsd > 0 ? spentUsd / limitUsd : 1;
  return (
    <Figure name="Budget" value={formatDollars(limitUsd)}>
      <Meter label="Budget used" used={spentUsd} limit={limitUsd} />
      <span className="mt-1 block">{Math.round(100 * share)}% used</span>
    </Figure>
  );
}

/** A price that is not known is not zero. */
function savedText({ knownUsd, isUnpriced }: CacheSaving): string {
  if (!isUnpriced) return formatDollars(knownUsd);
  return knownUsd > 0 ? `${formatDollars(knownUsd)} + unknown` : 'unknown';
}

export function CostFigures({
  sum,
  about,
  spentUsd,
  budgetUsd,
  saving,
}: {
  sum: CostSum;
  /** What there is to know about the cost. */
  about: string;
  /** Of the budget: without what was simulated. */
  spentUsd: number;
  budgetUsd: number | undefined;
  saving: CacheSaving | undefined;
}) {
  const { input, cachedInput, output } = sum.tokens;
  const share = input > 0 ? Math.round((100 * cachedInput) / input) : 0;
  return (
    <dl className="flex flex-wrap">
      <Figure name="Cost" value={formatDollars(sum.knownUsd)}>
        {[plusEstimate(sum.estimatedUsd), about].filter((text) => text !== '').join('. ')}
      </Figure>
      {budgetUsd === undefined ? null : <Budget limitUsd={budgetUsd} spentUsd={spentUsd} />}
      <Figure name="Model calls" value={formatCount(sum.calls)} />
      <Figure name="Tokens" value={formatCount(input + output)}>
        {formatCount(input)} in, {formatCount(output)} out
      </Figure>
      <Figure
        name="Saved by the prompt cache"
        value={saving === undefined ? '…' : savedText(saving)}
      >
        {cachedInput > 0 ? `${share}% of the input was cached` : 'No input was cached'}
      </Figure>
      <Figure name="Saved by reused answers" value={formatDollars(sum.savedUsd)}>
        {sum.reused > 0 ? `${plural(sum.reused, 'call')} not made` : 'No answer was reused'}
      </Figure>
    </dl>
  );
}
