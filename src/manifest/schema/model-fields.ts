import { MAX_TOKENS_LIMIT } from '../../contract/fields.ts';
import type { Fields } from './field.ts';

/** At the top and on each stream, in both notations; the stream's own win. */
export const MODEL_FIELDS = {
  model: {
    type: { kind: 'text' },
    about: 'The model to use.',
    example: 'claude-sonnet-4-5',
  },
  maxTokens: {
    type: { kind: 'integer', min: 1, max: MAX_TOKENS_LIMIT },
    about: 'Maximum output tokens for each call.',
    example: '8000',
  },
} as const satisfies Fields;
