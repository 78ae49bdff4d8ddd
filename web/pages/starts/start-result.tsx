// What a time or a delivery came to: the request it made, or why it made none.
import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../../ui/status.tsx';
import { reasonText } from './reason-text.ts';

interface Start {
  result: 'started' | 'skipped' | 'paused' | 'ignored';
  reason: string | null;
  request: { id: string; status: string; runId: string | null } | null;
}

const NOTHING: Readonly<Record<string, { status: string; word: string }>> = {
  skipped: { status: 'skipped', word: 'Skipped' },
  paused: { status: 'paused', word: 'Paused' },
  ignored: { status: 'cancelled', word: 'Ignored' },
};

export function StartResult({ start: { result, reason, request } }: { start: Start }) {
  if (request !== null) {
    const { id, status, runId } = request;
    return (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <StatusBadge status={status} />
        <Link
          to="/requests/$requestId"
          params={{ requestId: id }}
          aria-label={`Request ${id}`}
          className="text-accent hover:underline"
        >
          Request
        </Link>
        {runId === null ? null : (
          <Link
            to="/runs/$runId"
            params={{ runId }}
            aria-label={`Run ${runId}`}
            className="text-accent hover:underline"
          >
            Run
          </Link>
        )}
      </span>
    );
  }
  if (result === 'started') {
    return <span className="text-soft">Started; its request is no longer kept</span>;
  }
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <StatusBadge {...NOTHING[result]!} />
      {reason === null ? null : <span className="text-xs text-soft">{reasonText(reason)}</span>}
    </span>
  );
}
