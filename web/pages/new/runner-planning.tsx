// The plan that a runner makes with the files of its project: why it waits, then the plan, or why there is none.
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { RunRequest } from '../../../src/contract/run-request-api.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Square } from '../../ui/icons.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Card, CardHead, Loaded } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast.tsx';
import { RequestOutcome } from '../requests/request-outcome.tsx';

interface Ends {
  onPlan: (manifest: string) => void;
  /** It ended without a plan. */
  onEnd: () => void;
}

function UnderWay({
  request: { id, project, runner, waitsFor, createdAt, cancelRequested },
}: {
  request: RunRequest;
}) {
  const cancel = useMutation({
    mutationFn: () => api.runRequests.cancel(id),
    onError: toastError,
  });
  return (
    <Card>
      <CardHead title="Planning">
        <Since time={Date.parse(createdAt)} />
        <Button
          size="small"
          look="danger"
          icon={<Square />}
          busy={cancel.isPending || cancelRequested}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </Button>
      </CardHead>
      <p role="status" className="p-4 text-sm text-soft">
        {runner === null ? (
          `Waiting: ${waitsFor ?? 'a runner is about to take it.'}`
        ) : (
          <>
            The runner <PlainText text={runner.name} /> plans with the files of {project}.
          </>
        )}
      </p>
    </Card>
  );
}

function Followed({ request, onPlan, onEnd }: Ends & { request: RunRequest }) {
  const { outcome, endedAt } = request;
  const manifest = outcome?.manifest;
  const isEnded = endedAt !== null;
  useEffect(() => {
    if (manifest !== undefined) onPlan(manifest);
    else if (isEnded) onEnd();
  }, [manifest, onPlan, isEnded, onEnd]);
  if (!isEnded) return <UnderWay request={request} />;
  if (manifest !== undefined) return null;
  return (
    <div className="flex flex-col gap-2">
      {outcome === null ? null : <RequestOutcome outcome={outcome} from={request.id} />}
      <Link
        to="/requests/$requestId"
        params={{ requestId: request.id }}
        className="self-start text-xs text-accent hover:underline"
      >
        Open the request
      </Link>
    </div>
  );
}

export function RunnerPlanning({ requestId, ...ends }: Ends & { requestId: string }) {
  const query = useQuery({
    queryKey: ['request', requestId],
    queryFn: ({ signal }) => api.runRequests.get(requestId, { signal }),
  });
  return <Loaded query={query}>{(request) => <Followed request={request} {...ends} />}</Loaded>;
}
