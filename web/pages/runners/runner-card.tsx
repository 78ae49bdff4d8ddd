// One machine: whether it is there, what it has, and what it does now.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Runner } from '../../../src/contract/runner-api.ts';
import { useMayWrite } from '../../session/rights.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import { Ago } from '../../ui/time.tsx';
import { RunnerActions } from './runner-actions.tsx';
import { RunnerProject } from './runner-project.tsx';
import { RunnerState } from './runner-state.tsx';
import { UpdateRunner } from './update-runner.tsx';

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 text-sm [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

function Now({ runner: { running } }: { runner: Runner }) {
  if (running.length === 0) return <span className="text-soft">Nothing</span>;
  return (
    <ul className="flex flex-col gap-0.5">
      {running.map(({ id, project, runId }) => (
        <li key={id} className="flex flex-wrap gap-x-2">
          <Link
            to="/requests/$requestId"
            params={{ requestId: id }}
            className="font-medium text-accent hover:underline"
          >
            {project}
          </Link>
          {runId === null ? null : (
            <Link
              to="/runs/$runId"
              params={{ runId }}
              className="text-accent hover:underline"
              aria-label={`its run in ${project}`}
            >
              its run
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

export function RunnerCard({ runner }: { runner: Runner }) {
  const mayWrite = useMayWrite();
  const { name, state, isDraining, version, isOutdated, owner, labels, agents, seenAt } = runner;
  return (
    <Card>
      <CardHead
        title={
          <span className="flex flex-wrap items-center gap-2">
            <PlainText text={name} />
            <RunnerState state={state} isDraining={isDraining} />
          </span>
        }
      >
        {mayWrite ? <RunnerActions runner={runner} /> : null}
      </CardHead>
      <div className="flex flex-col gap-4 p-4">
        <dl className="grid grid-cols-2 gap-x-8 gap-y-3 sm:flex sm:flex-wrap">
          <Fact name={`Now (${runner.running.length} of ${runner.concurrency})`}>
            <Now runner={runner} />
          </Fact>
          <Fact name="Owner">{owner.email}</Fact>
          <Fact name="Version">{version}</Fact>
          <Fact name="Machine">
            {runner.platform}, {runner.cores} cores
          </Fact>
          {labels.length > 0 ? <Fact name="Labels">{labels.join(', ')}</Fact> : null}
          {agents.length > 0 ? <Fact name="Agents">{agents.join(', ')}</Fact> : null}
          {state === 'away' ? (
            <Fact name="Last seen">
              <Ago time={seenAt} />
            </Fact>
          ) : null}
        </dl>
        {isOutdated ? <UpdateRunner name={name} /> : null}
        {runner.projects.length === 0 ? (
          <p className="text-sm text-soft">It has no projects.</p>
        ) : (
          <ul aria-label={`Projects of ${name}`} className="grid gap-3 lg:grid-cols-2">
            {runner.projects.map((project) => (
              <RunnerProject key={project.name} project={project} />
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}
