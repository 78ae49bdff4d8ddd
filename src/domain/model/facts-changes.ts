// What a newer file of facts changes, in words for the person who decides about it.
import { priceAt } from './facts-price.ts';
import type { ModelFacts, Price, ProviderFacts } from './facts-schema.ts';

const nameOf = ({ ids }: ModelFacts) => ids[0]!;

const dollars = (value: number | undefined) => (value === undefined ? '-' : `$${value}`);

function priceText(price: Price | undefined): string {
  if (price === undefined) return 'no price';
  const { input, cacheRead, output, bands } = price;
  const more = bands === undefined ? '' : ', more for long prompts';
  return `${dollars(input)} in, ${dollars(cacheRead)} cached, ${dollars(output)} out${more}`;
}

/** What is worth a line of its own; what else differs is said in one word. */
function lineOf(before: ModelFacts, after: ModelFacts, at: Date): string | undefined {
  const parts: string[] = [];
  type Value = string | number | null;
  const say = (what: string, was: Value, is: Value) => {
    if (was !== is) parts.push(`${what} ${was ?? '-'} -> ${is ?? '-'}`);
  };
  say('price', priceText(priceAt(before.prices, at)), priceText(priceAt(after.prices, at)));
  say('status', before.status, after.status);
  say('context', before.contextTokens, after.contextTokens);
  say('longest answer', before.maxOutputTokens, after.maxOutputTokens);
  say('refuses', before.refuses.join(', ') || 'nothing', after.refuses.join(', ') || 'nothing');
  if (parts.length > 0) return `${nameOf(after)}: ${parts.join('; ')}`;
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  return isSame ? undefined : `${nameOf(after)}: other details`;
}

/** A line for each model that is new, gone or different. */
export function factsChanges(before: ProviderFacts, after: ProviderFacts, at: Date): string[] {
  const was = new Map(before.models.map((model) => [nameOf(model), model]));
  const is = new Map(after.models.map((model) => [nameOf(model), model]));
  const added = [...is].filter(([name]) => !was.has(name));
  const removed = [...was.keys()].filter((name) => !is.has(name));
  const changed = [...is].flatMap(([name, model]) => {
    const earlier = was.get(name);
    return earlier === undefined ? [] : (lineOf(earlier, model, at) ?? []);
  });
  return [
    ...added.map(([name, { prices }]) => `+ ${name}: ${priceText(priceAt(prices, at))}`),
    ...removed.map((name) => `- ${name}`),
    ...changed.map((line) => `~ ${line}`),
  ];
}
