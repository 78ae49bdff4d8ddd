import type { FollowUpReason } from '../../../../contract/run-events.ts';

const TEXTS: Record<FollowUpReason, string> = {
  files: 'reading more files',
  again: 'asking again: part of it cannot be used',
  longer: 'asking again: the answer was cut off',
};

/** Why a stream calls its model once more. */
export function followUpText(reason: FollowUpReason): string {
  return TEXTS[reason];
}
