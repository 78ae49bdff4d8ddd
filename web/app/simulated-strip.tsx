// Says that what is on the page was not made by a real model: that of the run that is open, elsewhere that of
// the newest run.
import { useQuery } from '@tanstack/react-query';
import { Link, useMatch } from '@tanstack/react-router';
import { FlaskConical } from '../ui/icons.tsx';
import { api } from '../api/client.ts';

export function SimulatedStrip() {
  const runId = useMatch({ from: '/runs/$runId', shouldThrow: false })?.params.runId;
  const newest = useQuery({
    queryKey: ['runs', 'newest'],
    queryFn: ({ signal }) => api.listRuns({ limit: 1 }, { signal }),
    enabled: runId === undefined,
  });
  // The page of the run asks for it, once it is there.
  const open = useQuery<Awaited<ReturnType<typeof api.getRun>>>({
    queryKey: ['run', runId],
    enabled: false,
  });
  const run = runId === undefined ? newest.data?.items[0] : open.data?.run;
  if (run?.live?.simulated !== true) return null;
  return (
    <div
      role="note"
      className="flex shrink-0 flex-wrap items-center justify-center gap-x-3 gap-y-0.5 border-b border-line bg-warn-soft px-4 py-1.5 text-xs text-warn"
    >
      <span className="inline-flex items-center gap-1.5">
        <FlaskConical aria-hidden className="size-3.5 shrink-0" />
        <span>
          <strong className="font-semibold">Simulated model.</strong>{' '}
          <span className="max-sm:hidden">
            {runId === undefined ? 'The latest run' : 'This run'} called no provider; its costs are
            examples.
          </span>
          <span className="sm:hidden">Costs are examples.</span>
        </span>
      </span>
      <Link
        to="/settings/$"
        params={{ _splat: 'provider-keys' }}
        className="font-medium underline underline-offset-2"
      >
        Add a provider key
      </Link>
    </div>
  );
}
