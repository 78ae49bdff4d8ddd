// Does with a run what a command would do: asked of the runner that made it. Where a command line made it, or its runner is
// not there, the command.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { RunRequest } from '../../../src/contract/run-request-api.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import type { ButtonProps } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { toastError } from '../../ui/toast.tsx';
import { requestCommand } from './request-command.ts';
import type { WorkOnRun } from './request-command.ts';
import { titleOf } from './request-title.tsx';
import { useMaker } from './use-maker.ts';

/** Leads to the request, where one sees what becomes of it. */
export function useAskRunner(runId: string) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const maker = useMaker(runId);
  const ask = useMutation({
    mutationFn: (work: WorkOnRun) =>
      api.runRequests.create({ project: maker!.request.project, ...work }),
    onError: toastError,
    onSuccess(request) {
      client.setQueryData(['request', request.id], request);
      return navigate({ to: '/requests/$requestId', params: { requestId: request.id } });
    },
  });
  return { maker, ask };
}

/** What is asked now comes after it, or is the same. */
export function OpenRequest({ request }: { request: RunRequest }) {
  return (
    <p className="mb-3 text-xs text-soft">
      Its runner has not ended what it was asked for before:{' '}
      <Link
        to="/requests/$requestId"
        params={{ requestId: request.id }}
        className="text-accent underline"
      >
        {titleOf(request)}
      </Link>
    </p>
  );
}

export function AskRunner({
  work,
  command,
  label = 'Command',
  look = 'primary',
  children,
}: {
  work: WorkOnRun;
  /** Does it in the project, for a run that no runner has made. */
  command: string;
  /** Of the command. */
  label?: string;
  look?: ButtonProps['look'];
  /** What the button says. */
  children: string;
}) {
  const { maker, ask } = useAskRunner(work.run.id);
  if (maker === undefined) return <CopyBlock label={label} text={command} />;
  const { request, name, isConnected, open } = maker;
  return (
    <div>
      {open === undefined ? null : <OpenRequest request={open} />}
      <div className="mb-3 flex flex-wrap items-center gap-3">
        {isConnected ? (
          <Button
            {...(look === undefined ? {} : { look })}
            busy={ask.isPending}
            onClick={() => ask.mutate(work)}
          >
            {children}
          </Button>
        ) : null}
        <span className="min-w-0 flex-1 basis-52 text-xs text-soft">
          {isConnected ? (
            <>
              The runner <PlainText text={name} /> made this run and does it. Or with a command:
            </>
          ) : (
            <>
              The runner <PlainText text={name} /> made this run and takes nothing now. What this
              command asks for waits for it:
            </>
          )}
        </span>
      </div>
      <CopyBlock label={label} text={requestCommand(request.project, work)} />
    </div>
  );
}
