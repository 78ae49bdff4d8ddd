// What the model calls of this process used, by provider and model.
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

/** Names of models come from users: each makes series of its own, so only the first ones get one. */
const MAX_MODELS = 100;
const OTHER = { provider: 'other', model: 'other' };

export interface ModelUse {
  provider: string;
  model: string;
  simulated: boolean;
  /** All input tokens, cached ones included. */
  usage: { input: number; output: number; cacheRead: number };
  /** Null where the price is unknown. */
  costUsd: number | null;
}

export function createModelMetrics(registers: Registry[]): (use: ModelUse) => void {
  const names = ['provider', 'model', 'simulated'] as const;
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name: `millrace_${name}`, help, labelNames, registers });
  const tokens = counter('tokens_total', 'Tokens of model calls', [...names, 'direction'] as const);
  const cached = counter('cached_tokens_total', 'Input tokens that came from a cache', names);
  const cost = counter('cost_usd_total', 'Cost of model calls in US dollars', names);
  const unpriced = counter('unpriced_calls_total', 'Model calls whose price is unknown', names);
  const known = new Set<string>();

  function named({ provider, model }: ModelUse): typeof OTHER {
    const name = `${provider} ${model}`;
    if (!known.has(name) && known.size >= MAX_MODELS) return OTHER;
    known.add(name);
    return { provider, model };
  }

  return (use) => {
    const { input, output, cacheRead } = use.usage;
    // A call that was refused used nothing, and its model may not even exist.
    if (input === 0 && output === 0) return;
    const labels = { ...named(use), simulated: String(use.simulated) };
    tokens.inc({ ...labels, direction: 'input' }, input);
    tokens.inc({ ...labels, direction: 'output' }, output);
    cached.inc(labels, cacheRead);
    if (use.costUsd === null) unpriced.inc(labels);
    else cost.inc(labels, use.costUsd);
  };
}
