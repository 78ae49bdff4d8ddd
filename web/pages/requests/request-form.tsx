import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/field-problems.ts';
import { Button } from '../../ui/button.tsx';
import { Play } from '../../ui/icons.tsx';
import { Card } from '../../ui/surface.tsx';
import { isFilled, offersOf, requestOf } from './request-draft.ts';
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
  const draft = { ...typed, project: typed.project || projects[0]!.name };
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
  const parts = {
    draft,
    change: (part: Partial<RequestDraft>) => setDraft((before) => ({ ...before, ...part })),
    problem: (field: string) => problemOf(start.error, field),
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
          start.mutate();
        }}
      >
        <ProjectField
          {...parts}
          names={projects.map(({ name }) => name)}
          isConnected={offers.isConnected}
        />
        <WorkFields {...parts} offers={offers} />
        {start.error ? (
          <p role="alert" className="text-sm text-bad">
            {start.error.message}
          </p>
        ) : null}
        <div className="flex justify-end border-t border-line pt-4">
          <Button
            type="submit"
            look="primary"
            icon={<Play />}
            busy={start.isPending}
            disabled={!isReady}
          >
            Start the run
          </Button>
        </div>
      </form>
    </Card>
  );
}
