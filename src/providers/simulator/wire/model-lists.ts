// Lists of the simulated models, in the shape of each vendor's.
import { PRICE } from '../price.ts';
import { SPEEDS } from '../speed.ts';
import type { Dialect } from './dialect.ts';

const CREATED = '2026-01-01T00:00:00Z';
const MAX_INPUT = 1_000_000;
const MAX_OUTPUT = 200_000;

const MODELS = Object.keys(SPEEDS);

export function modelList(dialect: Dialect): object {
  switch (dialect) {
    case 'anthropic':
      return {
        data: MODELS.map((id) => ({
          type: 'model',
          id,
          display_name: id,
          created_at: CREATED,
          max_input_tokens: MAX_INPUT,
          max_tokens: MAX_OUTPUT,
        })),
        has_more: false,
        first_id: MODELS[0],
        last_id: MODELS.at(-1),
      };
    case 'chat':
    case 'responses':
      return {
        object: 'list',
        data: MODELS.map((id) => ({
          id,
          object: 'model',
          created: Date.parse(CREATED) / 1000,
          owned_by: 'simulator',
        })),
      };
    case 'openrouter':
      return {
        data: MODELS.map((id) => ({
          id,
          canonical_slug: id,
          name: id,
          created: Date.parse(CREATED) / 1000,
          description: 'Simulated: no model is called.',
          architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
          supported_parameters: ['max_tokens', 'stop', 'tools', 'tool_choice', 'response_format'],
          context_length: MAX_INPUT,
          top_provider: { context_length: MAX_INPUT, max_completion_tokens: MAX_OUTPUT },
          pricing: { prompt: String(PRICE.input / 1e6), completion: String(PRICE.output / 1e6) },
        })),
      };
    case 'google':
      return {
        models: MODELS.map((id) => ({
          name: `models/${id}`,
          version: '001',
          displayName: id,
          description: 'Simulated: no model is called.',
          inputTokenLimit: MAX_INPUT,
          outputTokenLimit: MAX_OUTPUT,
          supportedGenerationMethods: ['generateContent', 'countTokens'],
        })),
      };
  }
}
