// A run that one of the team's runners makes: the page asks for it, and says what became of it.
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { WritersOnly } from '../../session/writers-only.tsx';
import { Path } from '../../ui/path.tsx';
import { Card, Loaded, PageHead, Skeleton } from '../../ui/surface.tsx';
import { NoRunners } from '../runners/start-runner.tsx';
import { useRunnersAndProjects } from '../runners/use-runners.ts';
import { EMPTY, draftOf } from './request-draft.ts';
import type { RequestDraft } from './request-draft.ts';
import { RequestForm } from './request-form.tsx';
import { takeToRun } from './to-run.ts';

function useFirstDraft(): RequestDraft | undefined {
  const { project = '', manifest, from } = useSearch({ from: '/requests/new' });
  const earlier = useQuery({
    queryKey: ['request', from],
    queryFn: ({ signal }) => api.runRequests.get(from!, { signal }),
    enabled: from !== undefined,
  });
  if (from !== undefined && earlier.isPending) return undefined;
  // Its branch is there now.
  if (earlier.data) return { ...draftOf(earlier.data.work), branch: '' };
  return {
    ...EMPTY,
    project,
    ...(manifest === undefined ? {} : { kind: 'file', path: manifest }),
  };
}

export function NewRequestPage() {
  const first = useFirstDraft();
  const [brought] = useState(takeToRun);
  const known = useRunnersAndProjects();
  return (
    <>
      <Path to="/runners" label="Runners">
        New
      </Path>
      <PageHead
        title="New run"
        lead="A runner makes it with the files of its project, on a branch of its own, as you."
      />
      <WritersOnly to="start a run">
        {first === undefined ? (
          <Skeleton />
        ) : (
          <Loaded query={known}>
            {({ projects, runners }) =>
              projects.length === 0 ? (
                <Card>
                  <NoRunners />
                </Card>
              ) : (
                <RequestForm
                  first={{ ...first, ...brought }}
                  projects={projects}
                  runners={runners}
                />
              )
            }
          </Loaded>
        )}
      </WritersOnly>
    </>
  );
}
