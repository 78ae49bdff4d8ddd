// What there is to know before the files: why the last submit did not count, and what became of this review.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Approval } from '../../../src/contract/approval-api.ts';
import type { Review, ReviewVerdict } from '../../../src/contract/review-api.ts';
import { api } from '../../api/client.ts';
import { cx } from '../../ui/class-names.ts';
import { Ago } from '../../ui/time.tsx';
import { stateText } from '../approvals/state-text.ts';
import { AskRunner, OpenRequest } from '../requests/ask-runner.tsx';
import { useMaker } from '../requests/use-maker.ts';
import { CODE_BOX } from './comment-view.tsx';
import { PlainText } from '../../ui/plain-text.tsx';

const TONES = {
  plain: 'border-line-strong bg-surface',
  good: 'border-good bg-good-soft',
  warn: 'border-warn bg-warn-soft',
  bad: 'border-bad bg-bad-soft',
} as const;

function Notice({
  title,
  tone,
  children,
}: {
  title: string;
  tone: keyof typeof TONES;
  children?: ReactNode;
}) {
  return (
    <section
      aria-label={title}
      className={cx('mb-4 flex flex-col gap-2 rounded-lg border p-4 text-sm', TONES[tone])}
    >
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}

export function FailedNotice({
  failed,
  isRound,
}: {
  failed: NonNullable<Review['failed']>;
  /** Of changes that were asked for. */
  isRound: boolean;
}) {
  const { stream, error, output } = failed;
  return (
    <Notice title={isRound ? 'Not all was done' : 'The last submit did not count'} tone="bad">
      <p>
        {isRound
          ? `${stream} has failed. What it was to change is as before, and what you said about it is still here.`
          : `Without what was rejected, the checks of ${stream} fail. Nothing has changed, and what you said is still here.`}
      </p>
      <p className="[overflow-wrap:anywhere]">
        <PlainText text={error} />
      </p>
      {output.trim() === '' ? null : (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-label="Output of the check"
          className={cx(CODE_BOX, 'max-h-60')}
        >
          <PlainText text={output} />
        </pre>
      )}
    </Notice>
  );
}

/** The same run may ask again: after a round, or because a submit did not count. */
function NextReview({ review: { runId, approvalId } }: { review: Review }) {
  const { data } = useQuery({
    queryKey: ['approvals', { runId, status: 'open' }],
    queryFn: ({ signal }) => api.approvals.list({ runId, status: 'open' }, { signal }),
  });
  const next = data?.items.find(({ hasReview, id }) => hasReview && id !== approvalId);
  if (next === undefined) return null;
  return (
    <p>
      <Link
        to="/approvals/$approvalId"
        params={{ approvalId: next.id }}
        className="text-accent-strong underline"
      >
        A newer review is waiting
      </Link>
    </p>
  );
}

const SAID: Readonly<Record<ReviewVerdict, string>> = {
  apply: 'applied what was accepted',
  changes: 'asked for changes',
  reject: 'rejected everything',
};
const OUTCOMES = {
  applied: { title: 'Carried out', tone: 'good' },
  failed: { title: 'Not carried out: a check fails without what was rejected', tone: 'bad' },
  round: { title: 'Changes are being made', tone: 'good' },
} as const;

function By({ submission }: { submission: NonNullable<Review['submission']> }) {
  return (
    <p>
      {submission.by.email} {SAID[submission.verdict]} <Ago time={submission.at} />.
    </p>
  );
}

/** By the runner that made the run, unless it is at it; else by the command that asked. */
function Continue({ review: { runId, command }, label }: { review: Review; label: string }) {
  const maker = useMaker(runId);
  if (maker?.open !== undefined) return <OpenRequest request={maker.open} />;
  return (
    <AskRunner work={{ run: { id: runId, action: 'review' } }} command={command}>
      {label}
    </AskRunner>
  );
}

function Submitted({ review }: { review: Review }) {
  const { state, submission } = review;
  const isTaken = state === 'taken';
  return (
    <Notice title={isTaken ? 'It is being carried out' : 'Submitted'} tone="plain">
      {submission === null ? null : <By submission={submission} />}
      <p>
        {isTaken
          ? 'The command that asked has it. If it was ended, this continues:'
          : 'The command that asked carries it out. If nobody waits for it any more, this does:'}
      </p>
      <Continue review={review} label="Carry it out" />
    </Notice>
  );
}

function Closed({ review, approval }: { review: Review; approval: Approval }) {
  const { outcome, submission } = review;
  if (outcome === null) {
    return (
      <Notice title={stateText(approval)} tone="warn">
        <p>Nothing was submitted, so nothing has changed. To be asked again:</p>
        <Continue review={review} label="Ask again" />
        <NextReview review={review} />
      </Notice>
    );
  }
  const { title, tone } = OUTCOMES[outcome.kind];
  return (
    <Notice title={title} tone={tone}>
      {submission === null ? null : <By submission={submission} />}
      {outcome.text === '' ? null : (
        <p className="whitespace-pre-wrap">
          <PlainText text={outcome.text} />
        </p>
      )}
      <NextReview review={review} />
    </Notice>
  );
}

export function StateNotice({ review, approval }: { review: Review; approval: Approval }) {
  const { state } = review;
  if (state === 'submitted' || state === 'taken') return <Submitted review={review} />;
  return state === 'closed' ? <Closed review={review} approval={approval} /> : null;
}
