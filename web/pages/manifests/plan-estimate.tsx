// What a run of the text would take: calls, tokens and dollars.
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Manifest } from '../../../src/manifest/model.ts';
import { usePrices } from '../../api/prices.ts';
import { formatCount, formatDollars, formatShort } from '../../ui/format.ts';
import { ModelField } from '../../ui/model-field.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { modelsOf, planCostOf } from './plan-cost.ts';
import type { PlanCost } from './plan-cost.ts';
import { command } from '../../ui/command.ts';

const PAUSE_MS = 300;

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 text-sm font-medium tabular">{children}</dd>
    </div>
  );
}

/** A price that is not known is not zero. */
function costText({ knownUsd, unpricedCalls, calls }: PlanCost): string {
  if (unpricedCalls === 0) return `about ${formatDollars(knownUsd)}`;
  return unpricedCalls === calls ? 'unknown' : `about ${formatDollars(knownUsd)} + unknown`;
}

export function PlanEstimate({
  manifest,
  waves,
}: {
  manifest: Manifest;
  waves: readonly (readonly string[])[];
}) {
  const [fallback, setFallback] = useState('');
  const asked = useSettled(fallback.trim(), PAUSE_MS);
  const models = modelsOf(manifest, asked);
  const isOpen = modelsOf(manifest, '').includes('');
  const prices = usePrices(models) ?? new Map();
  const cost = planCostOf(manifest, waves, { fallback: asked, prices });
  const unknown = models.filter((model) => model !== '' && prices.get(model)?.inputUsd == null);
  return (
    <div className="flex flex-col gap-3 border-b border-line p-4">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4 lg:grid-cols-2 xl:grid-cols-4">
        <Figure name="Model calls">{formatCount(cost.calls)}</Figure>
        <Figure name="Tokens in">{formatShort(cost.inputTokens)}</Figure>
        <Figure name="Tokens out">{formatShort(cost.outputTokens)}</Figure>
        <Figure name="Cost">{costText(cost)}</Figure>
      </dl>
      {isOpen ? (
        <ModelField
          value={fallback}
          onChange={setFallback}
          hint="For streams that the manifest names no model for. Only for this estimate."
        />
      ) : null}
      <p className="text-xs text-soft">
        {unknown.length > 0 ? `The price of ${unknown.join(', ')} is unknown. ` : ''}
        Without your files, and without fixes: <code>{command('plan')}</code> in the project counts
        what each stream is shown.
      </p>
    </div>
  );
}
