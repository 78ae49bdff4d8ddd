// Changes that wait to be looked through say so where they are shown; where none wait, how to begin.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';

/** `begin`: what there is to know and to do where nobody is asked; undefined where there is nothing to look through. */
export function WaitingReview({
  id,
  begin,
}: {
  /** Of the run, or of the execution. */
  id: string;
  begin:
    | {
        text: string;
        /** What does it: commands, or a button. */
        ways: ReactNode;
      }
    | undefined;
}) {
  const mayWrite = useMayWrite();
  const { data } = useQuery({
    queryKey: ['approvals', { runId: id, status: 'open' }],
    queryFn: ({ signal }) => api.approvals.list({ runId: id, status: 'open' }, { signal }),
    enabled: mayWrite,
  });
  const reviews = data?.items.filter(({ hasReview }) => hasReview) ?? [];
  if (reviews.length === 0 && data !== undefined && begin !== undefined) {
    return (
      <details className="mb-4 rounded-lg border border-line px-4 py-3 text-sm">
        <summary className="text-soft">Review hunk by hunk</summary>
        <p className="mt-2 mb-3 text-soft">{begin.text}</p>
        {begin.ways}
      </details>
    );
  }
  return reviews.map(({ id: approvalId, title }) => (
    <p
      key={approvalId}
      className="mb-4 rounded-lg border border-accent bg-accent-soft px-4 py-3 text-sm"
    >
      A review is waiting:{' '}
      <Link
        to="/approvals/$approvalId"
        params={{ approvalId }}
        className="font-medium text-accent-strong underline"
      >
        {title}
      </Link>
    </p>
  ));
}
