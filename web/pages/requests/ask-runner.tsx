// Does with a run what a command would do: asked of the runner that made it. Nothing where none can be asked.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { NewRunRequest, RunAction } from '../../../src/contract/run-request-api.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import type { ButtonProps } from '../../ui/button.tsx';
import { toastError } from '../../ui/toast.tsx';
import { useMaker } from './use-maker.ts';

/** Leads to the request, where one sees what becomes of it. */
export function useAskRunner(runId: string) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const maker = useMaker(runId);
  const ask = useMutation({
    mutationFn: (work: Omit<NewRunRequest, 'project'>) =>
      api.runRequests.create({ project: maker!.request.project, ...work }),
    onError: toastError,
    onSuccess(request) {
      client.setQueryData(['request', request.id], request);
      return navigate({ to: '/requests/$requestId', params: { requestId: request.id } });
    },
  });
  return { maker, ask };
}

export function AskRunner({
  runId,
  action,
  from,
  look = 'primary',
  children,
}: {
  runId: string;
  action: RunAction;
  /** A stream: it and what depends on it. */
  from?: string | undefined;
  look?: ButtonProps['look'];
  /** What the button says. */
  children: string;
}) {
  const { maker, ask } = useAskRunner(runId);
  if (maker === undefined) return null;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-3">
      <Button
        {...(look === undefined ? {} : { look })}
        busy={ask.isPending}
        onClick={() =>
          ask.mutate({ run: { id: runId, action }, ...(from === undefined ? {} : { from }) })
        }
      >
        {children}
      </Button>
      <span className="min-w-0 flex-1 basis-52 text-xs text-soft">
        The runner {maker.runner.name} made this run and does it. Or run the command there:
      </span>
    </div>
  );
}
