// Notation B.
import { CONTEXT_DEPTHS, DEFAULT_STREAM_TIMEOUT_MS, STREAM_STATUSES } from '../model.ts';
import { DEFAULT_DEPTH, MAX_TIMEOUT_MS, MIN_TIMEOUT_MS } from './field.ts';
import type { Fields } from './field.ts';
import { MODEL_FIELDS } from './model-fields.ts';

export const FEATURE_STREAM_FIELDS = {
  name: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'A name for people.',
    example: 'Search endpoint',
  },
  deps: {
    type: { kind: 'list', of: { kind: 'text' } },
    about: 'Ids of the streams that must be complete first.',
    example: '[database]',
  },
  owns: {
    type: { kind: 'list', of: { kind: 'pattern' } },
    about: 'What the stream creates or changes: files, folders with all in them, or globs.',
    example: '[src/search.ts, src/search/]',
  },
  reads: {
    type: { kind: 'list', of: { kind: 'pattern' } },
    about: 'What the stream gets to see without changing it; more than 4 make time-outs likely.',
    example: '[src/app.ts]',
  },
  plan: {
    type: { kind: 'text', mayBeEmpty: true },
    about: 'Instructions for the model.',
    example: 'Write GET /search.',
  },
  setup: {
    type: { kind: 'list', of: { kind: 'text' } },
    about: 'Shell commands that run before, one after the other.',
    example: '[npm ci]',
  },
  verify: {
    type: { kind: 'list', of: { kind: 'text' } },
    about: 'Shell commands that check the work; all of them run.',
    example: '[npm test]',
  },
  optional: {
    type: { kind: 'boolean' },
    about: 'Whether it may be skipped when a stream it waits for failed.',
    default: false,
    example: 'true',
  },
  depth: {
    type: { kind: 'choice', values: CONTEXT_DEPTHS },
    about: 'How much around its files is shown: little, their direct dependencies, or everything.',
    default: DEFAULT_DEPTH,
    example: 'moderate',
  },
  timeoutMs: {
    type: { kind: 'integer', min: MIN_TIMEOUT_MS, max: MAX_TIMEOUT_MS },
    about: 'Milliseconds after which the stream is given up.',
    default: DEFAULT_STREAM_TIMEOUT_MS,
    example: '600000',
  },
  status: {
    type: { kind: 'choice', values: STREAM_STATUSES },
    about: 'Written by the orchestrator.',
    default: 'pending',
    example: 'pending',
  },
  error: {
    type: { kind: 'text', mayBeEmpty: true },
    about: 'Why it failed; written by the orchestrator.',
    example: 'npm test failed',
  },
  attempts: {
    type: { kind: 'integer', min: 0 },
    about: 'How often it was started; written by the orchestrator.',
    default: 0,
    example: '1',
  },
  parentStreamId: {
    type: { kind: 'id' },
    about: 'Of a stream that fixes another one: the id of that one.',
    example: 'api',
  },
  appliedAt: {
    type: { kind: 'timestamp' },
    about: 'When its files were written; a stream that has it is not run again.',
    example: '2026-01-31T12:00:00Z',
  },
  ...MODEL_FIELDS,
} as const satisfies Fields;

export const FEATURE_FIELDS = {
  feature: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'What is being built.',
    example: 'search',
  },
  created: {
    type: { kind: 'timestamp' },
    about: 'When the manifest was made.',
    example: '2026-01-31T12:00:00Z',
  },
  status: {
    type: { kind: 'text', mayBeEmpty: true },
    about: 'How far the whole is.',
    example: 'pending',
  },
  streams: {
    type: { kind: 'streams', fields: FEATURE_STREAM_FIELDS },
    isRequired: true,
    about: 'The streams, by id.',
    example: '{ api: { name: Search endpoint } }',
  },
  ...MODEL_FIELDS,
} as const satisfies Fields;
