// An approval in words: what is asked, by whom, and what became of it.
import type { Approval } from '../../../client/index.ts';
import { localTime } from '../../terminal/local-time.ts';
import { colourDiff, harmless } from '../../terminal/diff-colours.ts';
import { styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

/** What became of it, in one sentence. */
export function outcomeOf({ kind, status, resolution }: Approval): string {
  if (resolution === null) return 'It is open.';
  if (resolution.expired) return 'Nobody answered in time, so it is denied.';
  const by = resolution.by === null ? '' : ` by ${plain(resolution.by.email)}`;
  const what = kind === 'question' && status === 'approved' ? 'Answered' : status;
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}${by}.`;
}

export function approvalText(approval: Approval): string {
  const { title, kind, runId, streamId, requestedBy, expiresAt, byOther, hash } = approval;
  const { detail, format, resolution } = approval;
  const place = streamId === null ? plain(runId) : `${plain(runId)}, stream ${plain(streamId)}`;
  const lines = [
    styled('bold', plain(title)),
    `${kind} of ${place}, asked by ${plain(requestedBy.email)}`,
    resolution === null ? `Open until ${localTime(expiresAt)}` : outcomeOf(approval),
    ...(resolution?.comment ? [`Comment: ${harmless(resolution.comment)}`] : []),
    ...(resolution?.answer ? [`Answer: ${harmless(resolution.answer)}`] : []),
    ...(byOther === 'required' ? ['Another person has to approve it.'] : []),
    ...(byOther === 'advised' ? ['The team wants another person to approve it.'] : []),
    `Hash ${hash}`,
  ];
  if (detail !== '')
    lines.push('', format === 'diff' ? colourDiff(detail, styled) : harmless(detail));
  return lines.join('\n');
}
