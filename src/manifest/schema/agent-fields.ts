import { DEFAULT_MAX_TURNS } from '../model.ts';
import type { Fields } from './field.ts';

const MAX_TURNS = 1000;
const MAX_COST_USD = 1_000_000;

/** At the top and on each stream, in both notations; the stream's own win. */
export const AGENT_FIELDS = {
  agent: {
    type: { kind: 'text' },
    about:
      'Who does the work: answer (one model answer with follow-ups), loop (a model with tools), claude, codex, gemini, opencode, or an agent of your own settings.',
    default: 'answer',
    example: 'loop',
  },
  maxTurns: {
    type: { kind: 'integer', min: 1, max: MAX_TURNS },
    about: 'The most model calls that an agent may make in an attempt.',
    default: DEFAULT_MAX_TURNS,
    example: '20',
  },
  network: {
    type: { kind: 'hosts', words: ['models', 'none'] },
    about:
      'What an agent may reach: models (the model endpoint and nothing else), none, or the endpoint and these hosts on ports 80 and 443.',
    default: 'models',
    example: '[docs.example.com]',
  },
} as const satisfies Fields;

/** Of a stream alone: on a manifest it would look like a limit of the whole run. */
export const STREAM_COST_FIELDS = {
  maxCostUsd: {
    type: { kind: 'usd', max: MAX_COST_USD },
    about: 'The most that the stream may cost, in dollars, all of its attempts together.',
    example: '2.5',
  },
} as const satisfies Fields;
