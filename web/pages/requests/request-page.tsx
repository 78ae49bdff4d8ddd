// One request: what was asked for, why it waits, the run that it became, and how it ended.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunRequest } from '../../../src/contract/run-request-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { RotateCw } from '../../ui/frame-icons.tsx';
import { Square } from '../../ui/icons.tsx';
import { Path } from '../../ui/path.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Loaded, PageHead } from '../../ui/surface.tsx';
import { Ago } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast.tsx';
import { WaitingReview } from '../review/waiting-review.tsx';
import { RequestOutcome } from './request-outcome.tsx';
import { titleOf } from './request-title.tsx';
import { RequestWork } from './request-work.tsx';

function CancelRequest({ request: { id, status, cancelRequested } }: { request: RunRequest }) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const cancel = useMutation({
    mutationFn: () => api.runRequests.cancel(id),
    onSuccess: () => setOpened(false),
    onError: toastError,
    // Also after a refusal: it may have ended meanwhile.
    onSettled: () =>
      Promise.all(
        ['request', 'requests', 'projects'].map((key) =>
          client.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
  return (
    <>
      <Button
        look="danger"
        icon={<Square />}
        busy={cancelRequested}
        onClick={() => setOpened(true)}
      >
        {cancelRequested ? 'Stopping' : 'Cancel'}
      </Button>
      <ConfirmDialog
        open={opened}
        onOpenChange={setOpened}
        title="Cancel this request?"
        action="Cancel the request"
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      >
        {status === 'queued'
          ? 'It has not begun, so nothing has changed.'
          : 'Its runner stops the run. What is complete stays on its branch, and what was used is charged.'}
      </ConfirmDialog>
    </>
  );
}

function Runs({ request: { runIds, endedAt, status, work } }: { request: RunRequest }) {
  if (runIds.length === 0) {
    if (endedAt !== null) return 'None';
    return status === 'running' && work.task !== undefined ? 'Planning' : 'Not yet';
  }
  return (
    <span className="flex flex-wrap gap-x-3">
      {runIds.map((runId) => (
        <Link
          key={runId}
          to="/runs/$runId"
          params={{ runId }}
          className="font-mono text-xs text-accent hover:underline"
        >
          {runId}
        </Link>
      ))}
    </span>
  );
}

/** What asked for it in the name of that person. */
function Origin({ origin: { kind, id } }: Pick<RunRequest, 'origin'>) {
  if (kind === 'person') return null;
  if (id === null) return `, by a ${kind}`;
  return (
    <>
      , by{' '}
      <Link
        to={kind === 'schedule' ? '/schedules/$id' : '/triggers/$id'}
        params={{ id }}
        className="text-accent hover:underline"
      >
        a {kind}
      </Link>
    </>
  );
}

function Request({ request }: { request: RunRequest }) {
  const mayWrite = useMayWrite();
  const { id, status, project, requestedBy, origin, runner, runId, work } = request;
  const isOpen = request.endedAt === null;
  return (
    <>
      <PageHead
        title={<PlainText text={titleOf(request)} />}
        lead={
          <>
            {requestedBy.email} asked for this <Ago time={request.createdAt} />
            <Origin origin={origin} />.
          </>
        }
      >
        {runId === null ? null : (
          <Link to="/runs/$runId" params={{ runId }} className={buttonClass('primary')}>
            Open the run
          </Link>
        )}
        {isOpen && mayWrite ? <CancelRequest request={request} /> : null}
        {!isOpen && mayWrite && work.run === undefined && !work.planOnly ? (
          <Link to="/requests/new" search={{ from: id }} className={buttonClass()}>
            <RotateCw aria-hidden />
            Ask again
          </Link>
        ) : null}
      </PageHead>
      {request.waitsFor === null ? null : (
        <p
          role="status"
          className="mb-4 rounded-xl border border-line bg-surface px-4 py-3 text-sm shadow-card"
        >
          <span className="font-medium">Waiting:</span> {request.waitsFor}
        </p>
      )}
      {isOpen ? <WaitingReview id={work.run?.id ?? runId ?? id} begin={undefined} /> : null}
      <Facts>
        <Fact name="Status">
          <StatusBadge
            status={status}
            {...(isOpen && request.cancelRequested ? { word: 'Stopping' } : {})}
          />
        </Fact>
        <Fact name="Project">{project}</Fact>
        <Fact name="Runner">{runner === null ? 'None yet' : <PlainText text={runner.name} />}</Fact>
        <Fact name="Run">
          <Runs request={request} />
        </Fact>
        {request.attempts > 1 ? <Fact name="Times taken">{request.attempts}</Fact> : null}
        {request.startedAt === null ? null : (
          <Fact name="Started">
            <Ago time={request.startedAt} className="text-text" />
          </Fact>
        )}
        {request.endedAt === null ? null : (
          <Fact name="Ended">
            <Ago time={request.endedAt} className="text-text" />
          </Fact>
        )}
      </Facts>
      <div className="flex flex-col gap-4">
        {request.outcome === null ? null : <RequestOutcome outcome={request.outcome} from={id} />}
        <RequestWork work={work} />
      </div>
    </>
  );
}

export function RequestPage() {
  const { requestId } = useParams({ from: '/requests/$requestId' });
  const request = useQuery({
    queryKey: ['request', requestId],
    queryFn: ({ signal }) => api.runRequests.get(requestId, { signal }),
  });
  return (
    <>
      <Path to="/runners" label="Runners">
        <CopyId id={requestId} />
      </Path>
      <Loaded query={request}>{(found) => <Request request={found} />}</Loaded>
    </>
  );
}
