// Why an answer came in vain: another was first, something else was asked, or its time was over.
import { ServiceError } from '../../contract/errors.ts';
import type { ApprovalRow } from '../../store/approvals/approvals.ts';

const ENDED = { approved: 'approved', denied: 'denied', withdrawn: 'withdrew' } as const;

export function tooLate(row: ApprovalRow, hash: string): ServiceError {
  if (row.status !== 'open') {
    const by = row.resolverEmail;
    const at = row.resolvedAt!.toISOString();
    const message =
      by === null
        ? 'Nobody answered this in time, so it is denied.'
        : `${by} ${ENDED[row.status]} this already.`;
    return new ServiceError('CONFLICT', message, { details: { status: row.status, by, at } });
  }
  if (row.hash !== hash) {
    const message = 'What is asked is not what you have seen. Open it again.';
    return new ServiceError('CONFLICT', message, { details: { hash: row.hash } });
  }
  return new ServiceError('CONFLICT', 'Nobody answered this in time, so it is denied.', {
    details: { status: 'denied', by: null, at: row.expiresAt.toISOString() },
  });
}
