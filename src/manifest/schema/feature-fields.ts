// Notation B.
import { CONTEXT_DEPTHS, DEFAULT_STREAM_TIMEOUT_MS, STREAM_STATUSES } from '../model.ts';
import { DEFAULT_DEPTH, MAX_TIMEOUT_MS, MIN_TIMEOUT_MS } from './field.ts';
import type { Fields } from './field.ts';
import { COMMAND_PLACE_FIELDS } from './command-fields.ts';
import { AGENT_FIELDS, STREAM_COST_FIELDS } from './agent-fields.ts';
import { APPROVE_FIELDS, STREAM_APPROVE_FIELDS } from './approve-fields.ts';
import { MODEL_FIELDS } from './model-fields.ts';

export const FEATURE_STREAM_FIELDS = {
  name: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'Display name.',
    example: 'Search endpoint',
  },
  deps: {
    type: { kind: 'list', of: { kind: 'text' } },
    about: 'Streams that must complete first.',
    example: '[database]',
  },
  owns: {
    type: { kind: 'list', of: { kind: 'pattern' } },
    about: 'Files, folders or globs that the stream creates or changes.',
    example: '[src/search.ts, src/search/]',
  },
  reads: {
    type: { kind: 'list', of: { kind: 'pattern' } },
    about: 'Files the stream reads but does not change. With more than 4, a timeout is likely.',
    example: '[src/app.ts]',
  },
  plan: {
    type: { kind: 'text', mayBeEmpty: true },
    about: 'Instructions for the model.',
    example: 'Write GET /search.',
  },
  setup: {
    type: { kind: 'list', of: { kind: 'text' } },
    about: 'Shell commands to run first, in order.',
    example: '[npm ci]',
  },
  verify: {
    type: { kind: 'list', of: { kind: 'text' } },
    about: 'Shell commands that verify the result. All of them run.',
    example: '[npm test]',
  },
  optional: {
    type: { kind: 'boolean' },
    about: 'Skip this stream when a dependency fails.',
    default: false,
    example: 'true',
  },
  depth: {
    type: { kind: 'choice', values: CONTEXT_DEPTHS },
    about:
      'How much context to include around its files: minimal, direct dependencies, or everything.',
    default: DEFAULT_DEPTH,
    example: 'moderate',
  },
  timeoutMs: {
    type: { kind: 'integer', min: MIN_TIMEOUT_MS, max: MAX_TIMEOUT_MS },
    about: 'Timeout in milliseconds.',
    default: DEFAULT_STREAM_TIMEOUT_MS,
    example: '600000',
  },
  status: {
    type: { kind: 'choice', values: STREAM_STATUSES },
    about: 'Set by Millrace.',
    default: 'pending',
    example: 'pending',
  },
  error: {
    type: { kind: 'text', mayBeEmpty: true },
    about: 'Why it failed. Set by Millrace.',
    example: 'npm test failed',
  },
  attempts: {
    type: { kind: 'integer', min: 0 },
    about: 'Number of attempts. Set by Millrace.',
    default: 0,
    example: '1',
  },
  parentStreamId: {
    type: { kind: 'id' },
    about: 'For a fix stream: the stream that it fixes.',
    example: 'api',
  },
  appliedAt: {
    type: { kind: 'timestamp' },
    about: 'When its files were applied. A stream with this set does not run again.',
    example: '2026-01-31T12:00:00Z',
  },
  skippedBy: {
    type: { kind: 'id' },
    about: 'The failed stream because of which it was skipped; written by the orchestrator.',
    example: 'api',
  },
  ...MODEL_FIELDS,
  ...STREAM_APPROVE_FIELDS,
  ...AGENT_FIELDS,
  ...STREAM_COST_FIELDS,
} as const satisfies Fields;

export const FEATURE_FIELDS = {
  feature: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'The feature to build.',
    example: 'search',
  },
  created: {
    type: { kind: 'timestamp' },
    about: 'When the manifest was created.',
    example: '2026-01-31T12:00:00Z',
  },
  status: {
    type: { kind: 'text', mayBeEmpty: true },
    about: 'Status of the feature as a whole.',
    example: 'pending',
  },
  streams: {
    type: { kind: 'streams', fields: FEATURE_STREAM_FIELDS },
    isRequired: true,
    about: 'The streams, by id.',
    example: '{ api: { name: Search endpoint } }',
  },
  ...COMMAND_PLACE_FIELDS,
  ...MODEL_FIELDS,
  ...APPROVE_FIELDS,
  ...AGENT_FIELDS,
} as const satisfies Fields;
