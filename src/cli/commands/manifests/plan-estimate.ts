// What a stream may take. Rough on purpose: from the size of its files, before anything has run.
import type { FeatureStream, ModelChoice, WorkflowStream } from '../../../manifest/model.ts';
import { routeModel } from '../../../domain/model/model-routing.ts';
import type { ModelPrices } from './model-prices.ts';
import type { ProjectFiles } from './plan-files.ts';

/** Code and prose of the usual kinds, with the tokenizers of the usual vendors. */
const BYTES_PER_TOKEN = 3.6;
/** The instructions that go with every stream. */
const OVERHEAD_TOKENS = 1200;
const OUTPUT_SHARE = 0.35;
const MIN_OUTPUT_TOKENS = 500;
const DEFAULT_MAX_TOKENS = 8192;
const FIRST_TOKEN_MS = 1500;
const TOKENS_PER_SECOND = 60;

export interface Estimate {
  inputTokens: number;
  outputTokens: number;
  /** null: nobody knows the price. */
  costUsd: number | null;
  durationMs: number;
}

export const NO_ESTIMATE: Estimate = { inputTokens: 0, outputTokens: 0, costUsd: 0, durationMs: 0 };

export interface EstimateDeps {
  files: ProjectFiles;
  prices: ModelPrices;
}

export function isSimulated(model: string | undefined): boolean {
  const route = model === undefined ? undefined : routeModel(model);
  return route?.kind === 'routed' && route.provider === 'simulator';
}

export function estimateStream(
  deps: EstimateDeps,
  stream: FeatureStream | WorkflowStream,
  choice: ModelChoice,
): Estimate {
  const owns = 'owns' in stream ? stream.owns : [];
  const reads = 'reads' in stream ? stream.reads : stream.files;
  const planBytes = Buffer.byteLength(stream.plan ?? '');
  const context = deps.files.bytesOf([...owns, ...reads]) + planBytes;
  const inputTokens = Math.round(context / BYTES_PER_TOKEN) + OVERHEAD_TOKENS;
  const written = Math.round(deps.files.bytesOf(owns) * OUTPUT_SHARE);
  const most = choice.maxTokens ?? DEFAULT_MAX_TOKENS;
  const outputTokens = Math.min(Math.max(written, MIN_OUTPUT_TOKENS), most);
  const tokens = { input: inputTokens, output: outputTokens };
  return {
    inputTokens,
    outputTokens,
    costUsd: choice.model === undefined ? null : deps.prices.priceOf(choice.model, tokens),
    durationMs: FIRST_TOKEN_MS + Math.round((outputTokens / TOKENS_PER_SECOND) * 1000),
  };
}
