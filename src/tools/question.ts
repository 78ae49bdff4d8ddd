// The question whether to write a result: what it would change, in a few lines.
import type { Execution } from '../client/index.ts';
import type { Origin } from './headline.ts';
import { changesOf } from './outcome.ts';

/** What the user is shown, and what can be said about it. */
export interface Form {
  message: string;
  schema: FormSchema;
}

export interface FormSchema {
  type: 'object';
  properties: Record<
    string,
    { type: 'string'; title: string; description?: string; enum?: string[] }
  >;
  required: string[];
}

/** Of an approval: the client brings its state along with the answer. */
export type FormWithState = Form & { state: string };

export interface Question extends Form {
  executionId: string;
  /** As the answer to the call has to say it in the end. */
  origin?: Origin | undefined;
}

/** The name of the field, and of the request among those of one call. */
export const DECISION = 'decision';
const APPLY = 'apply';
const LEAVE = 'leave';
const MOST_LINES = 20;

export const QUESTION_SCHEMA: FormSchema = {
  type: 'object',
  properties: {
    [DECISION]: {
      type: 'string',
      title: 'Decision',
      description: 'apply writes the files; leave keeps your project as it is',
      enum: [APPLY, LEAVE],
    },
  },
  required: [DECISION],
};

/** Names come from a model: none of them may look like another line of the question. */
const plain = (path: string) => path.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

export function questionOf(execution: Execution): Question {
  const changes = changesOf(execution);
  const lines = changes.slice(0, MOST_LINES).map(({ type, path, additions, deletions }) => {
    const counts = [`+${additions}`, ...(deletions === undefined ? [] : [`-${deletions}`])];
    return `${type} ${plain(path)}${type === 'delete' ? '' : ` (${counts.join(' ')})`}`;
  });
  const left = changes.length - lines.length;
  const files = new Set(changes.map(({ path }) => path)).size;
  return {
    executionId: execution.id,
    schema: QUESTION_SCHEMA,
    message: [
      `Write ${files === 1 ? '1 file' : `${files} files`} to your project?`,
      ...lines,
      ...(left > 0 ? [`... and ${left} more`] : []),
      ...(execution.simulated ? ['A simulated model made these changes.'] : []),
    ].join('\n'),
  };
}

/** As the protocol carries it. */
export interface Response {
  action: string;
  content?: unknown;
}

/** `none`: nobody decided. */
export type Said = 'yes' | 'no' | 'none';

/**
 * A host without a user answers at once, by a cancel or a decline of its own: that is no decision of
 * anybody's. A no counts when it took at least as long as reading the question does; a yes has to be
 * spelled out, so it always does.
 */
export function saidIn(
  { action, content }: Response,
  { afterMs, atOnceMs }: { afterMs: number; atOnceMs: number },
): Said {
  const { [DECISION]: decision } = (content ?? {}) as Record<string, unknown>;
  if (action === 'accept' && decision === APPLY) return 'yes';
  const isNo = action === 'decline' || (action === 'accept' && decision === LEAVE);
  return isNo && afterMs >= atOnceMs ? 'no' : 'none';
}
