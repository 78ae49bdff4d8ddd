// A model call as a trace shows it, by OpenTelemetry's conventions for generative models. What was asked and answered
// stays here: a collector is no place for people's code.
import type { Clock } from '../platform/clock.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import type { ProviderOutcome, ProviderRequest } from '../providers/provider.ts';

/** Where the conventions have a name of their own for a vendor. */
const PROVIDER_NAMES: Record<string, string> = { google: 'gcp.gemini' };

const errorOf = (outcome: ProviderOutcome): string | undefined =>
  outcome.kind === 'failed' ? outcome.failure.kind : undefined;

export async function traceModelCall(
  { telemetry, clock }: { telemetry: Telemetry; clock: Clock },
  {
    provider: id,
    request,
    parent,
  }: { provider: string; request: ProviderRequest; parent: string | null },
  call: () => Promise<ProviderOutcome>,
): Promise<ProviderOutcome> {
  if (!telemetry.collects) return call();
  const provider = PROVIDER_NAMES[id] ?? id;
  const { model } = request;
  const span = telemetry.start(`chat ${model}`, {
    kind: 'client',
    parent,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.request.max_tokens': request.maxTokens,
      'gen_ai.request.temperature': request.temperature,
      'gen_ai.request.stream': true,
    },
  });
  const begun = clock.now();
  try {
    const outcome = await call();
    const { input, output, cacheRead, cacheWrite } = outcome.usage;
    span.set({
      'gen_ai.response.finish_reasons': outcome.kind === 'completed' ? [outcome.finish] : undefined,
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read.input_tokens': cacheRead,
      'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
    });
    span.end(errorOf(outcome));
    telemetry.modelCalled({
      provider,
      model,
      seconds: (clock.now() - begun) / 1000,
      inputTokens: input,
      outputTokens: output,
      errorType: errorOf(outcome),
    });
    return outcome;
  } catch (error) {
    span.end('bug');
    throw error;
  }
}
