// The machines of the team and what they can work on; asked again when the team's news say so.
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export function useRunners({ enabled = true }: { enabled?: boolean } = {}) {
  return useQuery({
    queryKey: ['runners'],
    queryFn: ({ signal }) => api.runners.list({ signal }),
    enabled,
  });
}

/** Names of the projects that a runner takes requests for now. */
export function useConnectedProjects(): string[] {
  const { data } = useProjects();
  return (data?.items ?? [])
    .filter(({ runners }) => runners.some(({ state }) => state === 'connected'))
    .map(({ name }) => name);
}

export function useProjects() {
  return useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => api.runners.projects({ signal }),
  });
}

/** For forms, which need both. */
export function useRunnersAndProjects() {
  const projects = useProjects();
  const runners = useRunners();
  return {
    data: projects.data &&
      runners.data && { projects: projects.data.items, runners: runners.data.items },
    error: projects.error ?? runners.error,
    refetch: () => Promise.all([projects.refetch(), runners.refetch()]),
  };
}
