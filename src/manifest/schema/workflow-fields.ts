// Notation A.
import { CONTEXT_DEPTHS, DEFAULT_STREAM_TIMEOUT_MS } from '../model.ts';
import { DEFAULT_DEPTH, MAX_TIMEOUT_MS, MIN_TIMEOUT_MS } from './field.ts';
import type { Fields } from './field.ts';
import { COMMAND_PLACE_FIELDS } from './command-fields.ts';
import { AGENT_FIELDS, STREAM_COST_FIELDS } from './agent-fields.ts';
import { APPROVE_FIELDS, STREAM_APPROVE_FIELDS } from './approve-fields.ts';
import { MODEL_FIELDS } from './model-fields.ts';

export const CONTEXT_FIELDS = {
  files: {
    type: { kind: 'list', of: { kind: 'pattern' } },
    about: 'Files, folders or globs to show the model.',
    example: '[src/api/, README.md]',
  },
  depth: {
    type: { kind: 'choice', values: CONTEXT_DEPTHS },
    about:
      'How much context to include around those files: minimal, direct dependencies, or everything.',
    default: DEFAULT_DEPTH,
    example: 'moderate',
  },
} as const satisfies Fields;

export const COMMAND_FIELDS = {
  command: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'A shell command to run in the project root.',
    example: 'npm test',
  },
  critical: {
    type: { kind: 'boolean' },
    isRequired: true,
    about: 'Fail the whole run when this command fails.',
    example: 'true',
  },
} as const satisfies Fields;

export const CONSTRAINT_FIELDS = {
  maxSteps: {
    type: { kind: 'integer', min: 1 },
    about: 'Maximum number of steps the model may take.',
    example: '10',
  },
  timeout: {
    type: { kind: 'integer', min: MIN_TIMEOUT_MS, max: MAX_TIMEOUT_MS },
    about: 'Timeout in milliseconds.',
    default: DEFAULT_STREAM_TIMEOUT_MS,
    example: '600000',
  },
  requireTests: {
    type: { kind: 'boolean' },
    about: 'Require tests along with the change.',
    default: false,
    example: 'true',
  },
} as const satisfies Fields;

export const WORKFLOW_STREAM_FIELDS = {
  description: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'What the stream is for.',
    example: 'Add the search endpoint',
  },
  plan: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'Instructions for the model.',
    example: 'Write GET /search.',
  },
  context: {
    type: { kind: 'object', fields: CONTEXT_FIELDS },
    about: 'What to show the model.',
    example: '{ files: [src/], depth: moderate }',
  },
  commands: {
    type: { kind: 'list', of: { kind: 'object', fields: COMMAND_FIELDS } },
    about: 'Commands that verify the result.',
    example: '[{ command: npm test, critical: true }]',
  },
  constraints: {
    type: { kind: 'object', fields: CONSTRAINT_FIELDS },
    about: 'Limits for this stream.',
    example: '{ maxSteps: 10 }',
  },
  ...MODEL_FIELDS,
  ...STREAM_APPROVE_FIELDS,
  ...AGENT_FIELDS,
  ...STREAM_COST_FIELDS,
} as const satisfies Fields;

export const WORKFLOW_FIELDS = {
  name: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'Name of the manifest.',
    example: 'search',
  },
  version: {
    type: { kind: 'version' },
    isRequired: true,
    about: 'The semantic version of the manifest.',
    example: '"1.0.0"',
  },
  description: {
    type: { kind: 'text' },
    isRequired: true,
    about: 'What the manifest is for.',
    example: 'Search in the shop',
  },
  streams: {
    type: { kind: 'streams', fields: WORKFLOW_STREAM_FIELDS },
    isRequired: true,
    about: 'The streams, by id.',
    example: '{ api: { description: Search, plan: Write it. } }',
  },
  ...COMMAND_PLACE_FIELDS,
  ...MODEL_FIELDS,
  ...APPROVE_FIELDS,
  ...AGENT_FIELDS,
} as const satisfies Fields;
