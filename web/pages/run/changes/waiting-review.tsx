// A run that waits for its changes to be looked through says so where its changes are; where none waits, how to begin.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { useMayWrite } from '../../../session/rights.ts';
import { command } from '../../../ui/command.ts';
import { CopyBlock } from '../../../ui/copy.tsx';

/** `canBegin`: the run has come to its end, and what it wrote stands. */
export function WaitingReview({ runId, canBegin }: { runId: string; canBegin: boolean }) {
  const mayWrite = useMayWrite();
  const { data } = useQuery({
    queryKey: ['approvals', { runId, status: 'open' }],
    queryFn: ({ signal }) => api.approvals.list({ runId, status: 'open' }, { signal }),
    enabled: mayWrite,
  });
  const reviews = data?.items.filter(({ hasReview }) => hasReview) ?? [];
  if (reviews.length === 0 && data !== undefined && canBegin) {
    return (
      <details className="mb-4 rounded-lg border border-line px-4 py-3 text-sm">
        <summary className="text-soft">Review hunk by hunk</summary>
        <p className="mt-2 mb-3 text-soft">
          Take parts back, or comment and ask for changes. Run the command in the project: the
          review opens here, and the command carries it out.
        </p>
        <CopyBlock label="Review" text={command('review', runId, '--review-in', 'web')} />
      </details>
    );
  }
  return reviews.map(({ id, title }) => (
    <p key={id} className="mb-4 rounded-lg border border-accent bg-accent-soft px-4 py-3 text-sm">
      A review is waiting:{' '}
      <Link
        to="/approvals/$approvalId"
        params={{ approvalId: id }}
        className="font-medium text-accent-strong underline"
      >
        {title}
      </Link>
    </p>
  ));
}
