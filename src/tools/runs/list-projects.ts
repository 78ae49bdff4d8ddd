// What could be run, and where: an answer for an assistant that has not said what to do yet.
import type { MillraceClient } from '../../client/index.ts';
import type { Project } from '../../contract/runner-api.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';
import { MOST, within } from '../bounds.ts';
import type { SessionDeps } from '../deps.ts';
import { listProjectsOf } from './read-answers.ts';
import type { RunOutput, ShownProject } from './run-schemas.ts';

const MOST_MANIFESTS = 20;

function shownProject({ name, runners }: Project): ShownProject {
  const connected = runners.filter(({ state }) => state === 'connected');
  const known = connected[0] ?? runners[0];
  return {
    name,
    connected: connected.map((runner) => runner.name),
    branch: known?.branch ?? null,
    manifests: (known?.manifests ?? []).slice(0, MOST_MANIFESTS),
  };
}

export async function listProjects(
  { commandLine = plainCommand }: SessionDeps,
  client: MillraceClient,
): Promise<RunOutput> {
  const items = await listProjectsOf(client);
  const { shown, omitted } = within(items.map(shownProject), MOST.plannedSteps);
  return {
    message: `Nothing was started. ${items.length} ${items.length === 1 ? 'project' : 'projects'} on runners.`,
    next:
      items.length === 0
        ? `Ask the user to start a runner, in a project: ${commandLine('runner', '--project', '.')}`
        : 'Call again with a project, and a task or a manifest.',
    projects: shown,
    ...(omitted === 0 ? {} : { omitted }),
  };
}
