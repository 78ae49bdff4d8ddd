// Changes that a run wants to be looked through: the page of their approval.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from '@tanstack/react-router';
import type { Approval } from '../../../src/contract/approval-api.ts';
import type { Review } from '../../../src/contract/review-api.ts';
import { useMe } from '../../session/me.ts';
import { plural } from '../../ui/format.ts';
import { Hourglass } from '../../ui/icons.tsx';
import { EmptyState, Loaded, PageHead } from '../../ui/surface.tsx';
import { Ago } from '../../ui/time.tsx';
import { reviewQuery } from '../approvals/review-query.ts';
import { AskedIn } from '../approvals/asked-in.tsx';
import { WhoAnswers } from '../approvals/who-answers.tsx';
import { FailedNotice, StateNotice } from './review-notices.tsx';
import { ReviewView } from './review-view.tsx';

/** Answers are news of the team; what a command does, and other browsers of the reader, have to be asked for. */
const ASK_AGAIN_MS: Readonly<Record<Review['state'], number | false>> = {
  loading: 1000,
  open: 15_000,
  submitted: 3000,
  taken: 3000,
  closed: false,
};

function Head({ approval, review }: { approval: Approval; review: Review | undefined }) {
  const { title, runId, streamId, requestedBy, createdAt, expiresAt, resolution } = approval;
  return (
    <PageHead
      title={title}
      lead={
        <>
          {requestedBy.email} asked <Ago time={createdAt} /> in <AskedIn runId={runId} />
          {streamId === null ? '' : `, stream ${streamId}`}.{' '}
          {review !== undefined && review.round > 1 ? `Round ${review.round}. ` : null}
          {review?.previous ? (
            <>
              <Link
                to="/approvals/$approvalId"
                params={{ approvalId: review.previous }}
                className="text-accent underline"
              >
                The review before
              </Link>
              .{' '}
            </>
          ) : null}
          {resolution === null ? (
            <>
              Open until it is submitted, and closed <Ago time={expiresAt} /> otherwise.
            </>
          ) : null}
        </>
      }
    />
  );
}

/** Checks of what a round has made, not of what is left without what was rejected. */
const isFailedRound = ({ comments, round, failed }: Review): boolean =>
  comments.some(
    (one) =>
      failed !== null && one.round === round - 1 && one.outcome?.includes(failed.stream) === true,
  );

/** What became of the review is said above its files: a reader who is far below them would not see it. */
function useTopAtEnd(state: Review['state'] | undefined): void {
  const before = useRef(state);
  useEffect(() => {
    const wasOpen = before.current === 'open';
    before.current = state;
    if (wasOpen && state !== 'open') document.querySelector('main')?.scrollTo(0, 0);
  }, [state]);
}

function Body({ approval, review }: { approval: Approval; review: Review }) {
  const me = useMe();
  if (review.state === 'loading') {
    return (
      <EmptyState icon={<Hourglass />} title="Files are coming">
        <p role="status">{plural(review.files.length, 'file')} so far.</p>
      </EmptyState>
    );
  }
  return (
    <>
      {review.failed === null ? null : (
        <FailedNotice failed={review.failed} isRound={isFailedRound(review)} />
      )}
      <StateNotice review={review} approval={approval} />
      {review.state === 'open' ? (
        <div className="mb-2 empty:hidden">
          <WhoAnswers approval={approval} />
        </div>
      ) : null}
      {review.files.length === 0 ? (
        <EmptyState title="The files of this review are no longer kept" />
      ) : (
        <Loaded query={me}>
          {({ user }) => <ReviewView key={review.approvalId} review={review} userId={user.id} />}
        </Loaded>
      )}
    </>
  );
}

export function ReviewPage({ approval }: { approval: Approval }) {
  const { id } = approval;
  const review = useQuery({
    ...reviewQuery(id),
    refetchInterval: ({ state: { data } }) =>
      data === undefined ? false : ASK_AGAIN_MS[data.state],
    refetchOnWindowFocus: 'always',
  });
  useTopAtEnd(review.data?.state);
  return (
    <>
      <Head approval={approval} review={review.data} />
      <Loaded query={review} rows={12}>
        {(found) => <Body approval={approval} review={found} />}
      </Loaded>
    </>
  );
}
