// One question of a run, and its answer.
import { useMutation, usePrefetchQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense, lazy, useState } from 'react';
import type { Approval } from '../../../src/contract/approval-api.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Card, Loaded, PageHead, Skeleton } from '../../ui/surface.tsx';
import { Ago } from '../../ui/time.tsx';
import { AskedIn } from './asked-in.tsx';
import { Detail } from './detail.tsx';
import { reviewQuery } from './review-query.ts';
import { stateText } from './state-text.ts';
import { WhoAnswers } from './who-answers.tsx';

const ReviewPage = lazy(async () => ({
  default: (await import('../review/review-page.tsx')).ReviewPage,
}));

interface Given {
  decision: 'approve' | 'deny';
  comment: string;
  answer: string;
}

function Answer({ approval: { id, hash, kind } }: { approval: Approval }) {
  const client = useQueryClient();
  const [comment, setComment] = useState('');
  const [answer, setAnswer] = useState('');
  const isQuestion = kind === 'question';
  const resolve = useMutation({
    mutationFn: ({ decision }: Pick<Given, 'decision'>) =>
      api.approvals.resolve(id, {
        decision,
        hash,
        ...(comment.trim() !== '' && { comment: comment.trim() }),
        ...(isQuestion && decision === 'approve' && { answer: answer.trim() }),
      }),
    // Also after a refusal: another person may have been first.
    onSettled: () =>
      Promise.all(
        ['approval', 'approvals', 'audit'].map((key) =>
          client.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
  const { isPending, error, variables } = resolve;
  const busy = (decision: Given['decision']) => isPending && variables.decision === decision;
  return (
    <Card className="flex flex-col gap-3 p-4">
      {isQuestion ? (
        <Field label="Answer">
          {(ids) => (
            <TextArea
              {...ids}
              rows={3}
              value={answer}
              onChange={(event) => setAnswer(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      <Field label="Comment">
        {(ids) => (
          <TextArea
            {...ids}
            rows={2}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </Field>
      {error ? (
        <p role="alert" className="text-sm text-bad">
          {error.message}
        </p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          busy={busy('approve')}
          disabled={isPending || (isQuestion && answer.trim() === '')}
          onClick={() => resolve.mutate({ decision: 'approve' })}
        >
          {isQuestion ? 'Answer' : 'Approve'}
        </Button>
        <Button
          busy={busy('deny')}
          disabled={isPending}
          onClick={() => resolve.mutate({ decision: 'deny' })}
        >
          Deny
        </Button>
      </div>
    </Card>
  );
}

function Question({ approval }: { approval: Approval }) {
  const { title, runId, streamId, requestedBy, createdAt, expiresAt, resolution } = approval;
  return (
    <>
      <PageHead
        title={title}
        lead={
          <>
            {requestedBy.email} asked <Ago time={createdAt} /> in <AskedIn runId={runId} />
            {streamId === null ? null : `, stream ${streamId}`}.{' '}
            {resolution === null ? (
              <>
                Denied <Ago time={expiresAt} /> unless it is answered.
              </>
            ) : (
              `${stateText(approval)}.`
            )}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {resolution === null ? <WhoAnswers approval={approval} /> : null}
        {resolution?.comment ? <p className="text-sm">{resolution.comment}</p> : null}
        {resolution?.answer ? <p className="text-sm">Answer: {resolution.answer}</p> : null}
        {approval.mayAnswer ? <Answer approval={approval} /> : null}
        <Detail approval={approval} />
      </div>
    </>
  );
}

function Review({ approval }: { approval: Approval }) {
  usePrefetchQuery(reviewQuery(approval.id));
  return (
    <Suspense fallback={<Skeleton rows={12} />}>
      <ReviewPage approval={approval} />
    </Suspense>
  );
}

export function ApprovalPage() {
  const { approvalId } = useParams({ from: '/approvals/$approvalId' });
  const approval = useQuery({
    queryKey: ['approval', approvalId],
    queryFn: ({ signal }) => api.approvals.get(approvalId, { signal }),
  });
  return (
    <Loaded query={approval}>
      {(found) => (found.hasReview ? <Review approval={found} /> : <Question approval={found} />)}
    </Loaded>
  );
}
