// What the team can work on, whichever machine has it.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project } from '../../../src/contract/runner-api.ts';
import { api } from '../../api/client.ts';
import { useMay, useMayWrite } from '../../session/rights.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, CardHead, Loaded } from '../../ui/surface.tsx';
import { Ago } from '../../ui/time.tsx';
import { RequestTitle } from '../requests/request-title.tsx';
import { LimitDialog } from './limit-dialog.tsx';
import { RunnerState } from './runner-state.tsx';

const LAST = 3;

function LastRequests({ project }: { project: string }) {
  const requests = useQuery({
    queryKey: ['requests', { project, limit: LAST }],
    queryFn: ({ signal }) => api.runRequests.list({ project, limit: LAST }, { signal }),
  });
  return (
    <Loaded query={requests} rows={2}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="mt-1 text-xs text-soft">Nothing was asked for yet.</p>
        ) : (
          <ul className="mt-1 flex flex-col gap-1">
            {items.map((item) => (
              <li key={item.id} className="flex min-w-0 flex-wrap items-center gap-2">
                <StatusBadge status={item.status} />
                <RequestTitle request={item} />
                <Ago time={item.createdAt} className="text-xs text-soft" />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

/** What any of its runners has found. */
export function manifestsOf({ runners }: Project): string[] {
  return [...new Set(runners.flatMap(({ manifests }) => manifests))].sort();
}

function ProjectItem({ project }: { project: Project }) {
  const mayWrite = useMayWrite();
  const mayManage = useMay('manage');
  const [isOpen, setIsOpen] = useState(false);
  const [isLimiting, setIsLimiting] = useState(false);
  const { name, runners, queued, running, maxRunning } = project;
  const manifests = manifestsOf(project);
  const branches = [...new Set(runners.flatMap(({ branch }) => branch ?? []))];
  return (
    <li className="flex min-w-0 flex-col gap-2 border-b border-line p-4 text-sm last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-semibold [overflow-wrap:anywhere]">{name}</h3>
        <span className="font-mono text-xs text-soft [overflow-wrap:anywhere]">
          <PlainText text={branches.join(', ')} />
        </span>
        <span className="text-xs text-soft tabular">
          {queued} waiting, {running} running
          {maxRunning === null ? '' : ` (${maxRunning} at a time)`}
        </span>
        <div className="ml-auto flex gap-2">
          {mayManage ? (
            <Button
              size="small"
              aria-label={`Limit the runs of ${name}`}
              onClick={() => setIsLimiting(true)}
            >
              Limit
            </Button>
          ) : null}
          {mayWrite ? (
            <Link
              to="/requests/new"
              search={{ project: name }}
              aria-label={`New run in ${name}`}
              className={buttonClass('plain', 'small')}
            >
              New run
            </Link>
          ) : null}
        </div>
        {isLimiting ? (
          <LimitDialog
            title={`Runs of ${name}`}
            now={maxRunning}
            field="maxRunning"
            most={1000}
            stale={['projects']}
            change={(limit) => api.runners.setMaxRunning(name, limit)}
            onClose={() => setIsLimiting(false)}
          />
        ) : null}
      </div>
      {runners.length === 0 ? (
        <p className="text-xs text-warn">No runner has it any more: what is asked for waits.</p>
      ) : (
        <ul aria-label={`Runners of ${name}`} className="flex flex-wrap gap-x-4 gap-y-1">
          {runners.map((runner) => (
            <li key={runner.id} className="flex items-center gap-1.5">
              <PlainText text={runner.name} /> <RunnerState state={runner.state} />
            </li>
          ))}
        </ul>
      )}
      {manifests.length === 0 ? null : (
        <ul aria-label={`Manifests of ${name}`} className="flex flex-wrap gap-2">
          {manifests.map((manifest) => (
            <li key={manifest} className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">
              {mayWrite ? (
                <Link
                  to="/requests/new"
                  search={{ project: name, manifest }}
                  className="text-accent hover:underline"
                >
                  {manifest}
                </Link>
              ) : (
                manifest
              )}
            </li>
          ))}
        </ul>
      )}
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary className="text-xs text-soft">
          Last requests<span className="sr-only"> of {name}</span>
        </summary>
        {isOpen ? <LastRequests project={name} /> : null}
      </details>
    </li>
  );
}

export function ProjectList({ projects }: { projects: readonly Project[] }) {
  return (
    <Card>
      <CardHead title="Projects" />
      <ul aria-label="Projects">
        {projects.map((project) => (
          <ProjectItem key={project.name} project={project} />
        ))}
      </ul>
    </Card>
  );
}
