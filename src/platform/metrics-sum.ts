// Counts of processes that ended. Without them the counts of a server would go down when one of its
// processes is replaced, and who draws rates from them would see what never happened.
import type { MetricsJson } from './metrics.ts';

type Metric = MetricsJson[number];
type Value = Metric['values'][number] & { metricName?: string };

const keyOf = ({ metricName, labels }: Value) => `${metricName ?? ''} ${JSON.stringify(labels)}`;

function addValues(one: Metric, other: Metric): Metric {
  const sums = new Map<string, Value>();
  for (const value of [...one.values, ...other.values] as Value[]) {
    const known = sums.get(keyOf(value));
    sums.set(keyOf(value), { ...value, value: value.value + (known?.value ?? 0) });
  }
  return { ...one, values: [...sums.values()] };
}

/** What only ever grows, of both; gauges tell of a moment and end with their process. */
export function addCounts(one: MetricsJson, other: MetricsJson): MetricsJson {
  const sums = new Map<string, Metric>();
  for (const metric of [...one, ...other]) {
    // The types call it a number; it is the word.
    const type = String(metric.type);
    if (type !== 'counter' && type !== 'histogram') continue;
    const known = sums.get(metric.name);
    sums.set(metric.name, known === undefined ? metric : addValues(known, metric));
  }
  return [...sums.values()];
}
