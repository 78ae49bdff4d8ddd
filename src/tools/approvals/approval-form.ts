// What a run asks, as a form for the user, and what the user said in it. Titles and details are written by models: none of
// their lines may look like one of ours.
import type { Approval } from '../../client/index.ts';
import { DECISION } from '../question.ts';
import type { Form, Response } from '../question.ts';

const ANSWER = 'answer';
const COMMENT = 'comment';
const MOST_LINES = 60;
const MOST_LINE = 200;
const MAX_ANSWER = 20_000;
const MAX_COMMENT = 2000;

const plain = (text: string) =>
  text.replaceAll('\t', '  ').replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
const clipped = (text: string) =>
  text.length > MOST_LINE ? `${text.slice(0, MOST_LINE - 1)}…` : text;

export function formOf(approval: Approval, page: string | undefined): Form {
  const { kind, title, runId, streamId, requestedBy, detail } = approval;
  const lines = detail === '' ? [] : detail.trimEnd().split('\n');
  const left = lines.length - MOST_LINES;
  const where = page === undefined ? '' : ` All of it: ${page}`;
  const message = [
    `A run asks: ${plain(title)}`,
    `Run ${plain(runId)}${streamId === null ? '' : `, stream ${plain(streamId)}`}, of ${requestedBy.email}`,
    ...lines.slice(0, MOST_LINES).map((line) => `| ${clipped(plain(line))}`),
    ...(left > 0 ? [`${left} more lines are not shown.${where}`] : []),
  ].join('\n');
  const isQuestion = kind === 'question';
  return {
    message: message.toWellFormed(),
    schema: {
      type: 'object',
      properties: {
        [DECISION]: {
          type: 'string',
          title: 'Decision',
          description: isQuestion
            ? 'answer sends your answer; deny lets the agent decide itself'
            : 'approve lets the run do this; deny does not',
          enum: isQuestion ? ['answer', 'deny'] : ['approve', 'deny'],
        },
        ...(isQuestion
          ? { [ANSWER]: { type: 'string', title: 'Answer' } }
          : { [COMMENT]: { type: 'string', title: 'Comment' } }),
      },
      required: [DECISION],
    },
  };
}

export type SaidOfApproval =
  | { decision: 'approve' | 'deny'; answer?: string; comment?: string }
  /** Nobody decided. */
  | undefined;

/** An answer in less time than reading takes is a host's own, also a yes: it would let a run act that nobody has looked at. */
export function saidOfApproval(
  { kind }: Approval,
  { action, content }: Response,
  { afterMs, atOnceMs }: { afterMs: number; atOnceMs: number },
): SaidOfApproval {
  if (action !== 'accept' || afterMs < atOnceMs) return undefined;
  const fields = (content ?? {}) as Record<string, unknown>;
  const textOf = (name: string, max: number) => {
    const text = fields[name];
    const isText = typeof text === 'string' && text.trim() !== '' && text.length <= max;
    return isText && text.isWellFormed() ? text : undefined;
  };
  const comment = textOf(COMMENT, MAX_COMMENT);
  const withComment = comment === undefined ? {} : { comment };
  switch (fields[DECISION]) {
    case 'deny':
      return { decision: 'deny', ...(kind === 'question' ? {} : withComment) };
    case 'approve':
      return kind === 'question' ? undefined : { decision: 'approve', ...withComment };
    case 'answer': {
      const answer = textOf(ANSWER, MAX_ANSWER);
      return kind === 'question' && answer !== undefined
        ? { decision: 'approve', answer }
        : undefined;
    }
    default:
      return undefined;
  }
}
