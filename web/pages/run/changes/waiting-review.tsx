// A run that waits for its changes to be looked through says so where its changes are.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { useMayWrite } from '../../../session/rights.ts';

export function WaitingReview({ runId }: { runId: string }) {
  const mayWrite = useMayWrite();
  const { data } = useQuery({
    queryKey: ['approvals', { runId, status: 'open' }],
    queryFn: ({ signal }) => api.approvals.list({ runId, status: 'open' }, { signal }),
    enabled: mayWrite,
  });
  const reviews = data?.items.filter(({ hasReview }) => hasReview) ?? [];
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
