import type { FollowUpReason } from '../../../../contract/run-events.ts';

const TEXTS: Record<FollowUpReason, string> = {
  files: 'reading more files',
  again: 'asking again: part of it cannot be used',
  refused: 'working again without the files that were refused',
  restart: 'starting again: the run was cut off',
  longer: 'asking again: the answer was cut off',
};

/** Why a stream calls its model once more. */
export function followUpText(reason: FollowUpReason): string {
  return TEXTS[reason];
}
