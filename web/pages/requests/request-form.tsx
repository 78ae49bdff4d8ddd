// What to run, of which project, and how: a request as a form.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/field-problems.ts';
import { Button } from '../../ui/button.tsx';
import { ListTree, Play } from '../../ui/icons.tsx';
import { Card } from '../../ui/surface.tsx';
import { bringToPlan } from '../new/draft.ts';
import { isFilled, offersOf, planOf, requestOf } from './request-draft.ts';
import type { RequestDraft } from './request-draft.ts';
import { ProjectField, WORK_TEXTS, WorkFields } from './work-fields.tsx';

export function RequestForm({
  first,
  projects,
  runners,
}: {
  first: RequestDraft;
  projects: readonly Project[];
  runners: readonly Runner[];
}) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [typed, setDraft] = useState(first);
  const isKnown = projects.some(({ name }) => name === typed.project);
  const draft = { ...typed, project: isKnown ? typed.project : projects[0]!.name };
  const offers = offersOf(
    projects.find(({ name }) => name === draft.project),
    runners,
  );
  const start = useMutation({
    mutationFn: () =>
      api.runRequests.create(requestOf({ ...draft, inPlace: draft.inPlace && offers.mayInPlace })),
    onSuccess(request) {
      client.setQueryData(['request', request.id], request);
      return navigate({ to: '/requests/$requestId', params: { requestId: request.id } });
    },
  });
  const plan = useMutation({
    mutationFn: () => api.runRequests.create(planOf(draft)),
    onSuccess({ id, project }) {
      const { task, model } = draft;
      bringToPlan({ task, model, project, requestId: id, executionId: undefined });
      return navigate({ to: '/new' });
    },
  });
  const error = start.error ?? plan.error;
  const parts = {
    draft,
    change: (part: Partial<RequestDraft>) => setDraft((before) => ({ ...before, ...part })),
    problem: (field: string) => problemOf(error, field),
  };
  const branch = draft.branch.trim();
  const isReady =
    isFilled(draft) &&
    (draft.inPlace || branch === '' || WORK_TEXTS.wrongBranch(branch) === undefined);
  return (
    <Card>
      <form
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          plan.reset();
          start.mutate();
        }}
      >
        <ProjectField
          {...parts}
          names={projects.map(({ name }) => name)}
          isConnected={offers.isConnected}
        />
        <WorkFields {...parts} offers={offers} />
        {error ? (
          <p role="alert" className="text-sm text-bad">
            {error.message}
          </p>
        ) : null}
        <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
          {draft.kind === 'task' ? (
            <Button
              icon={<ListTree />}
              busy={plan.isPending}
              disabled={!isReady || start.isPending}
              onClick={() => {
                start.reset();
                plan.mutate();
              }}
            >
              Plan it first
            </Button>
          ) : null}
          <Button
            type="submit"
            look="primary"
            icon={<Play />}
            busy={start.isPending}
            disabled={!isReady || plan.isPending}
          >
            Start the run
          </Button>
        </div>
      </form>
    </Card>
  );
}
