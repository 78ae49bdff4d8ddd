// A manifest on a page, run by a runner of the team: the form of a new run opens with it. Nothing where there are no projects.
import { Link } from '@tanstack/react-router';
import { useMayWrite } from '../../session/rights.ts';
import { buttonClass } from '../../ui/button.tsx';
import { useProjects } from '../runners/use-runners.ts';
import { bringToRun } from './to-run.ts';
import type { ToRun } from './to-run.ts';

export function RunOnRunner({
  manifest,
  from,
  project = '',
}: {
  manifest: ToRun;
  /** A request whose project and choices it begins with. */
  from?: string | undefined;
  project?: string;
}) {
  const mayWrite = useMayWrite();
  const projects = useProjects();
  if (!mayWrite || (projects.data?.items.length ?? 0) === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-3">
      <Link
        to="/requests/new"
        search={{
          ...(from === undefined ? {} : { from }),
          ...(project === '' ? {} : { project }),
        }}
        className={buttonClass('primary', 'small')}
        onClick={() => bringToRun(manifest)}
      >
        Run it on a runner
      </Link>
      <span className="min-w-0 flex-1 basis-52 text-xs">
        A runner of your team makes the run with the files of its project.
      </span>
    </p>
  );
}
