// The settings of traces: part of the table in settings.ts. Their names are the customary ones of OpenTelemetry.
import { z } from 'zod';
import { httpUrl } from './setting-values.ts';

export const TELEMETRY_SETTINGS = {
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    unset: 'off',
    description:
      'OpenTelemetry collector to send traces and metrics to, as OTLP over HTTP: `http://localhost:4318`.',
    schema: httpUrl,
  },
  traceRatio: {
    env: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    description:
      'Share of traces to keep, from 0 to 1. A request that already belongs to a trace follows its decision.',
    schema: z
      .string()
      .regex(/^(0(\.\d{1,9})?|1)$/, 'must be a number from 0 to 1')
      .transform(Number),
  },
};
