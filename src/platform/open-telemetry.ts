// Telemetry by OpenTelemetry's own packages, sent as OTLP over HTTP. Loaded only where a collector is named: they
// take a while to load. Headers, time limits and compression are read by them from the variables
// OTEL_EXPORTER_OTLP_*, the name of the service and its attributes from OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
import { setTimeout as delay } from 'node:timers/promises';
import {
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  diag,
  trace,
} from '@opentelemetry/api';
import type { Context, SpanContext } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  serviceNameEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from './log.ts';
import type { MetricsJson } from './metrics.ts';
import { metricsProducer } from './metrics-as-otlp.ts';
import type { Span, SpanAttributes, SpanStart, Telemetry } from './telemetry.ts';

export interface OpenTelemetryOptions {
  /** Of the collector, without `/v1/traces`. */
  endpoint: string;
  /** The share of traces that is kept, where the caller has not decided it. */
  ratio: number;
  version: string;
  role: string;
  /** What the process counts. */
  measure(): Promise<MetricsJson>;
  log: Logger;
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};
/** By the conventions for generative models. */
const TOKEN_BOUNDARIES = Array.from({ length: 14 }, (_, power) => 4 ** power);
const SECOND_BOUNDARIES = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const COMPLAIN_EVERY_MS = 60_000;
/** A collector that does not answer must not hold a stop up for long. */
const CLOSE_MS = 2000;

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function readContext(text: string | null | undefined): SpanContext | undefined {
  const found = TRACEPARENT.exec(text ?? '');
  if (found === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = found;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function contextOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** A collector that is away would otherwise be reported with every batch. */
function complainTo(log: Logger): void {
  let quietUntil = 0;
  const complain = (message: string): void => {
    if (Date.now() < quietUntil) return;
    quietUntil = Date.now() + COMPLAIN_EVERY_MS;
    log.warn({ message: message.slice(0, 500) }, 'could not send traces or metrics');
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

export function openTelemetry(options: OpenTelemetryOptions): Telemetry {
  complainTo(options.log);
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'millrace',
        'service.version': options.version,
        'service.instance.id': crypto.randomUUID(),
        'millrace.role': options.role,
      }),
    )
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const base = options.endpoint.endsWith('/') ? options.endpoint : `${options.endpoint}/`;
  const at = (path: string) => new URL(path, base).href;
  const tracers = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: at('v1/traces') }) }),
    ],
  });
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: at('v1/metrics') }),
        metricProducers: [metricsProducer(options.measure)],
      }),
    ],
  });
  const tracer = tracers.getTracer('millrace', options.version);
  const meter = meters.getMeter('millrace', options.version);
  const seconds = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'Time of model calls',
    advice: { explicitBucketBoundaries: SECOND_BOUNDARIES },
  });
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of model calls',
    advice: { explicitBucketBoundaries: TOKEN_BOUNDARIES },
  });

  function parentOf(text: string | null | undefined): Context {
    const parent = readContext(text);
    return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  }

  function start(name: string, { kind, parent, attributes }: SpanStart): Span {
    const own = tracer.startSpan(
      name,
      { kind: KINDS[kind], attributes: attributes ?? {} },
      parentOf(parent),
    );
    return {
      context: contextOf(own.spanContext()),
      set: (more: SpanAttributes) => void own.setAttributes(more),
      end(errorType) {
        if (errorType !== undefined) {
          own.setAttribute('error.type', errorType);
          own.setStatus({ code: SpanStatusCode.ERROR });
        }
        own.end();
      },
    };
  }

  return {
    collects: true,
    start,
    modelCalled({ provider, model, inputTokens, outputTokens, errorType, ...figures }) {
      const call = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
      };
      seconds.record(figures.seconds, {
        ...call,
        ...(errorType === undefined ? {} : { 'error.type': errorType }),
      });
      if (inputTokens > 0) tokens.record(inputTokens, { ...call, 'gen_ai.token.type': 'input' });
      if (outputTokens > 0) tokens.record(outputTokens, { ...call, 'gen_ai.token.type': 'output' });
    },
    async close() {
      const closed = Promise.allSettled([tracers.shutdown(), meters.shutdown()]);
      const waited = new AbortController();
      const late = delay(CLOSE_MS, 'late', waited).catch(() => undefined);
      if ((await Promise.race([closed, late])) === 'late') {
        options.log.warn({ endpoint: options.endpoint }, 'could not send the last traces');
      }
      waited.abort();
    },
  };
}
