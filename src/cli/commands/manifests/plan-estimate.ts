// What the estimate of a plan is made from: the files and prompts of the project, and prices.
import { estimateTokenCount } from 'tokenx';
import { isSimulatedModel } from '../../../domain/model/model-routing.ts';
import { mostInputTokens } from '../../../domain/usage/largest-cost.ts';
import type {
  Estimate,
  EstimateDeps,
  PreparedPrompt,
} from '../../../domain/run/stream-estimate.ts';
import { simulatedAnswerTokens } from '../../../providers/simulator/simulator.ts';
import type { ModelPrices } from './model-prices.ts';
import type { ProjectFiles } from './plan-files.ts';
import type { StreamPreview } from '../../../orchestrator/index.ts';

export interface PlanDeps {
  files: ProjectFiles;
  prices: ModelPrices;
  prompts?: ReadonlyMap<string, Pick<StreamPreview, 'prompt' | 'streamContext'>>;
  /** Output tokens that streams of this manifest took in the last run. */
  earlier?: ReadonlyMap<string, number>;
  /** What agents took for streams of this manifest in the last run, for one attempt. */
  history?: ReadonlyMap<string, Estimate>;
}

function prepared(
  streamId: string,
  { prompt, streamContext }: Pick<StreamPreview, 'prompt' | 'streamContext'>,
): PreparedPrompt {
  return {
    tokens: estimateTokenCount(prompt),
    mostTokens: mostInputTokens(prompt),
    ownTokens: estimateTokenCount(streamContext),
    // The simulator plays what the prompt says.
    answerTokens: (model, maxTokens) =>
      isSimulatedModel(model)
        ? simulatedAnswerTokens({ model, prompt, streamId, maxTokens })
        : undefined,
  };
}

export function estimateDepsOf({ files, prices, prompts, earlier }: PlanDeps): EstimateDeps {
  return {
    bytesOf: (entries) => files.bytesOf(entries),
    priceOf: (model, tokens, tier) => prices.priceOf(model, tokens, tier),
    promptOf(streamId) {
      const found = prompts?.get(streamId);
      return found && prepared(streamId, found);
    },
    ...(earlier && { earlier }),
  };
}
