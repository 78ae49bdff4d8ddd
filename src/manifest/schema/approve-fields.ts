import { GATES, STREAM_GATES } from '../model.ts';
import type { Fields } from './field.ts';

/** At the top, in both notations. */
export const APPROVE_FIELDS = {
  approve: {
    type: { kind: 'list', of: { kind: 'choice', values: GATES } },
    about:
      'What a person of your team approves on the server: plan (before the first call), changes (before each stream writes), push, question (what the built-in agent asks waits for an answer).',
    example: '[changes]',
  },
} as const satisfies Fields;

/** On each stream. */
export const STREAM_APPROVE_FIELDS = {
  approve: {
    type: { kind: 'list', of: { kind: 'choice', values: STREAM_GATES } },
    about:
      'changes: a person of your team approves them on the server before they are written. question: what the built-in agent asks waits there for an answer.',
    example: '[changes]',
  },
} as const satisfies Fields;
