// What the process counts for Prometheus, as OpenTelemetry exports it: the same names and labels in both.
import { ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics';
import type { DataPoint, Histogram, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { MetricsJson } from './metrics.ts';

type Metric = MetricsJson[number];
type Value = Metric['values'][number] & { metricName?: string };
type Time = [seconds: number, nanoseconds: number];

const timeOf = (ms: number): Time => [Math.floor(ms / 1000), (ms % 1000) * 1e6];

function without(labels: Value['labels'], ...names: string[]): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) =>
      value === undefined || names.includes(name) ? [] : [[name, value]],
    ),
  );
}

/** The series of one set of labels, whose counts are cumulative over the buckets. */
function histogramOf(values: readonly Value[]): Histogram {
  const buckets = values.filter(({ metricName }) => metricName?.endsWith('_bucket'));
  const found = (ending: string) =>
    values.find(({ metricName }) => metricName?.endsWith(ending))?.value ?? 0;
  const counts = buckets.map(({ value }, nth) => value - (buckets[nth - 1]?.value ?? 0));
  const boundaries = buckets
    .map(({ labels }) => Number(labels['le']))
    .filter((bound) => Number.isFinite(bound));
  return { buckets: { boundaries, counts }, sum: found('_sum'), count: found('_count') };
}

export function toMetricData(
  metric: Metric,
  { startTime, endTime }: { startTime: Time; endTime: Time },
): MetricData | undefined {
  const base = {
    descriptor: {
      name: metric.name,
      description: metric.help,
      unit: metric.name.endsWith('_seconds') ? 's' : '',
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = <T>(labels: Value['labels'], value: T): DataPoint<T> => ({
    startTime,
    endTime,
    attributes: without(labels, 'le'),
    value,
  });
  const plain = () => metric.values.map(({ labels, value }) => point(labels, value));
  // The library names types by words or, in older versions, by numbers.
  switch (String(metric.type)) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: plain() };
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: plain() };
    case 'histogram': {
      const series = Map.groupBy(metric.values as Value[], ({ labels }) =>
        JSON.stringify(without(labels, 'le')),
      );
      const dataPoints = [...series.values()].map((values) =>
        point(values[0]!.labels, histogramOf(values)),
      );
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    default:
      return undefined;
  }
}

export function metricsProducer(measure: () => Promise<MetricsJson>): MetricProducer {
  const startTime = timeOf(Date.now());
  return {
    async collect() {
      const times = { startTime, endTime: timeOf(Date.now()) };
      const metrics = (await measure()).flatMap((metric) => toMetricData(metric, times) ?? []);
      return {
        resourceMetrics: {
          resource: emptyResource(),
          scopeMetrics: [{ scope: { name: 'millrace' }, metrics }],
        },
        errors: [],
      };
    },
  };
}
