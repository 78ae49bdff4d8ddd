import { MAX_TOKENS_LIMIT } from '../../contract/stream-limits.ts';
import { REASONING_EFFORTS, SERVICE_TIERS } from '../model.ts';
import type { Fields } from './field.ts';

const MIN_CONTEXT_TOKENS = 1000;
const MAX_CONTEXT_TOKENS = 1_000_000;

/** At the top and on each stream, in both notations; the stream's own win. */
export const MODEL_FIELDS = {
  model: {
    type: { kind: 'text' },
    about: 'The model to use.',
    example: 'claude-sonnet-5-5',
  },
  models: {
    type: { kind: 'list', of: { kind: 'text' }, min: 1 },
    excludes: 'model',
    about:
      'A ladder of models, the cheapest first: the next one is used when the checks fail or the answer is unusable.',
    example: '[claude-haiku-5-5, claude-sonnet-5-5]',
  },
  maxTokens: {
    type: { kind: 'integer', min: 1, max: MAX_TOKENS_LIMIT },
    about: 'Maximum output tokens for each call.',
    example: '8000',
  },
  contextTokens: {
    type: { kind: 'integer', min: MIN_CONTEXT_TOKENS, max: MAX_CONTEXT_TOKENS },
    about:
      "Maximum tokens of project files in the prompt. By default a third of the model's context window, at most 100000.",
    example: '40000',
  },
  reasoning: {
    type: { kind: 'choice', values: REASONING_EFFORTS },
    about: 'How much the model thinks before it answers. Models that do not reason ignore it.',
    example: 'medium',
  },
  serviceTier: {
    type: { kind: 'choice', values: SERVICE_TIERS },
    about:
      'How the provider processes the calls. flex is cheaper and slower; models of OpenAI and Google have it.',
    example: 'flex',
  },
} as const satisfies Fields;
