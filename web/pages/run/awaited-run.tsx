// A run that nobody has told anything about: its link may have been opened before its first report.
import { Link } from '@tanstack/react-router';
import { Hourglass, SearchX } from '../../ui/icons.tsx';
import { Card, EmptyState, PageHead } from '../../ui/surface.tsx';
import { useDelay } from '../../ui/use-delay.ts';

/** A command line reports at once; by then it has failed, or the link is wrong. */
const PATIENCE_MS = 60_000;

/** The command line makes ids of this form; another one is a link that was mistyped or cut. */
const MADE_BY_COMMAND = /^run_[a-z0-9]+$/i;

export function AwaitedRun({ runId }: { runId: string }) {
  const isOver = useDelay(PATIENCE_MS);
  const isLate = isOver || !MADE_BY_COMMAND.test(runId);
  return (
    <>
      <PageHead title={isLate ? 'Run not found' : 'Waiting for the run'} />
      <Card>
        <div role="status">
          {isLate ? (
            <EmptyState icon={<SearchX />} title="There is no run with this id">
              <p>
                Check the link. If the run was started with --private, it is not reported here. If
                it starts later, it shows up on this page.
              </p>
              <Link to="/runs" className="font-medium text-accent hover:underline">
                See all runs
              </Link>
            </EmptyState>
          ) : (
            <EmptyState icon={<Hourglass />} title="Waiting for the run to start">
              <p>
                Nothing was reported for <span className="font-mono text-xs">{runId}</span> yet. It
                shows up here as soon as it starts.
              </p>
            </EmptyState>
          )}
        </div>
      </Card>
    </>
  );
}
