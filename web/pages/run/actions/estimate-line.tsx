// What the streams that run again may cost, in a sentence.
import { usePrices } from '../../../api/prices.ts';
import { costAt } from '../../../api/token-cost.ts';
import { formatDollars, formatShort, plural } from '../../../ui/format.ts';
import { useSettled } from '../../../ui/use-settled.ts';
import type { RerunEstimate } from './rerun-estimate.ts';

const PAUSE_MS = 300;

export function EstimateLine({
  streams,
  estimate,
  model,
}: {
  streams: number;
  estimate: RerunEstimate | undefined;
  /** Empty: the same as in this run. */
  model: string;
}) {
  const asked = useSettled(model, PAUSE_MS);
  const prices = usePrices([asked]);
  const count = plural(streams, 'stream');
  if (estimate === undefined) {
    return (
      <p className="text-sm text-soft">
        {count}. There is no estimate: this run has not asked a model.
      </p>
    );
  }
  const { input, output } = estimate.tokens;
  const tokens = `${formatShort(input)} tokens in and ${formatShort(output)} out`;
  const isOther = model !== '';
  const costUsd = isOther ? costAt(prices?.get(asked), estimate.tokens) : estimate.costUsd;
  const price = isOther ? `the price of ${model} is unknown` : 'a model has no known price';
  return (
    <p className="text-sm text-soft">
      {count}, {costUsd === null ? 'cost unknown' : `about ${formatDollars(costUsd)}`}.{' '}
      {costUsd === null
        ? `This run took ${tokens}, but ${price}.`
        : isOther
          ? `That is what this run took, ${tokens}, at the prices of ${model}.`
          : `That is what it took in this run: ${tokens}.`}
    </p>
  );
}
