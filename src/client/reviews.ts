// Changes that a person looks through hunk by hunk, below the approval that asks for it.
import type {
  ChangeReviewDraftRequest,
  Review,
  ReviewDraft,
  ReviewFiles,
  NewReviewOutcome,
  ReviewOutcome,
  ReviewSubmission,
  SentFiles,
} from '../contract/review-api.ts';
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';

export interface ReviewsApi {
  get(approvalId: string, options?: CallOptions): Promise<Review>;
  files(
    approvalId: string,
    query?: { from?: number; limit?: number },
    options?: CallOptions,
  ): Promise<ReviewFiles>;
  /** The review opens when all have come. */
  sendFiles(
    approvalId: string,
    body: SentFiles,
    options?: CallOptions,
  ): Promise<{ received: number; files: number }>;
  /** Only what changes; null takes it away. */
  changeDraft(
    approvalId: string,
    body: ChangeReviewDraftRequest,
    options?: CallOptions,
  ): Promise<ReviewDraft>;
  /** For who carries it out; null while nobody has submitted it. */
  take(approvalId: string, options?: CallOptions): Promise<{ submission: ReviewSubmission | null }>;
  /** What became of it. */
  end(approvalId: string, body: NewReviewOutcome, options?: CallOptions): Promise<ReviewOutcome>;
}

export function reviewsApi({ get, send }: Calls): ReviewsApi {
  const at = (id: string, rest = '') => `/v1/approvals/${part(id)}/review${rest}`;
  return {
    get: (id, options) => get(at(id), options),
    files: (id, query, options) => get(at(id, '/files'), options, query),
    sendFiles: (id, body, options) => send('PUT', at(id, '/files'), options, body),
    changeDraft: (id, body, options) => send('PATCH', at(id, '/draft'), options, body),
    take: (id, options) => send('POST', at(id, '/take'), options),
    end: (id, body, options) => send('PUT', at(id, '/outcome'), options, body),
  };
}
