// The machines that make runs for the team, what they can work on, and what they were asked for.
import { Link } from '@tanstack/react-router';
import { useMayWrite } from '../../session/rights.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { Play } from '../../ui/icons.tsx';
import { Card, Loaded, PageHead } from '../../ui/surface.tsx';
import { RequestList } from '../requests/request-list.tsx';
import { ProjectList } from './project-list.tsx';
import { RunnerCard } from './runner-card.tsx';
import { NoRunners, startCommand } from './start-runner.tsx';
import { useProjects, useRunners } from './use-runners.ts';

function AnotherRunner() {
  return (
    <details className="rounded-lg border border-line px-4 py-3 text-sm">
      <summary className="text-soft">Start another runner</summary>
      <p className="mt-2 mb-3 text-soft">In the folder of a repository, on its machine:</p>
      <CopyBlock label="Command that starts a runner" text={startCommand()} />
    </details>
  );
}

export function RunnersPage() {
  const mayWrite = useMayWrite();
  const runners = useRunners();
  const projects = useProjects();
  const known = projects.data?.items ?? [];
  return (
    <>
      <PageHead
        title="Runners"
        lead="Machines that make the runs your team asks for, and what they can work on."
      >
        {mayWrite && known.length > 0 ? (
          <Link to="/requests/new" className={buttonClass('primary')}>
            <Play aria-hidden />
            New run
          </Link>
        ) : null}
      </PageHead>
      <div className="flex flex-col gap-4">
        <Loaded query={runners}>
          {({ items }) =>
            items.length === 0 ? (
              <Card>
                <NoRunners />
              </Card>
            ) : (
              <>
                {items.map((runner) => (
                  <RunnerCard key={runner.id} runner={runner} />
                ))}
                {mayWrite ? <AnotherRunner /> : null}
              </>
            )
          }
        </Loaded>
        {known.length > 0 ? (
          <>
            <ProjectList projects={known} />
            <RequestList projects={known.map(({ name }) => name)} />
          </>
        ) : null}
      </div>
    </>
  );
}
