import type { ModelChoice } from '../model.ts';
import type { FieldValues } from './read-fields.ts';

export function modelChoice(values: FieldValues): ModelChoice {
  const { model, models, maxTokens, contextTokens, reasoning, serviceTier }: ModelChoice = values;
  return {
    ...(model === undefined ? {} : { model }),
    ...(models === undefined ? {} : { models }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
  };
}
