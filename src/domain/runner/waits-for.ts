// Why a request has not started: what would have to change for it to.
import type { Runner } from '../../contract/runner-api.ts';

interface Waiting {
  project: string;
  onlyRunner: string | null;
  work: { labels: readonly string[]; inPlace: boolean };
}

export function waitsFor(
  { project, onlyRunner, work }: Waiting,
  {
    runners,
    projects,
    teamLimit,
  }: {
    runners: readonly Runner[];
    /** How many requests of the team are done at a time. */
    teamLimit: number | null;
    projects: readonly { name: string; maxRunning: number | null; running: number }[];
  },
): string | null {
  const only = runners.find(({ id }) => id === onlyRunner);
  const having = runners
    .filter(({ id }) => onlyRunner === null || id === onlyRunner)
    .filter((runner) => runner.projects.some(({ name }) => name === project));
  if (having.length === 0) {
    if (only !== undefined) return `${only.name} does not have this project any more.`;
    return 'No runner has this project.';
  }
  const allowed = having.filter(
    (runner) =>
      !work.inPlace || runner.projects.some((each) => each.name === project && each.inPlace),
  );
  if (allowed.length === 0) {
    return 'No runner of this project may work in its own folder: its owner has to allow it.';
  }
  const labelled = allowed.filter(({ labels }) =>
    work.labels.every((each) => labels.includes(each)),
  );
  if (labelled.length === 0) {
    return `No runner of this project has the labels ${work.labels.join(', ')}.`;
  }
  const connected = labelled.filter(({ state }) => state === 'connected');
  if (connected.length === 0) {
    const names = labelled.map(({ name }) => name).join(', ');
    return labelled.some(({ state }) => state === 'draining')
      ? `${names}: takes nothing new.`
      : `${names}: not connected.`;
  }
  const limits = projects.find(({ name }) => name === project);
  if (limits !== undefined && limits.maxRunning !== null && limits.running >= limits.maxRunning) {
    return `The project runs ${limits.maxRunning} at a time.`;
  }
  const running = projects.reduce((sum, project) => sum + project.running, 0);
  if (teamLimit !== null && running >= teamLimit) return `The team runs ${teamLimit} at a time.`;
  const hasRoom = connected.some(({ running, concurrency }) => running.length < concurrency);
  return hasRoom ? 'A runner is about to take it.' : 'Its runners are busy.';
}
