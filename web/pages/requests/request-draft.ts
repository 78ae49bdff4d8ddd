// What is typed into the form of a new run, and the request that it makes.
import type { NewRunRequest, RunRequestWork } from '../../../src/contract/run-request-api.ts';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';

export type Kind = 'task' | 'file' | 'text';

export interface RequestDraft {
  project: string;
  kind: Kind;
  task: string;
  path: string;
  text: string;
  model: string;
  agent: string;
  budget: string;
  branch: string;
  inPlace: boolean;
  openRequest: boolean;
  /** With commas or spaces between them. */
  labels: string;
  priority: string;
}

export const EMPTY: RequestDraft = {
  project: '',
  kind: 'task',
  task: '',
  path: '',
  text: '',
  model: '',
  agent: '',
  budget: '',
  branch: '',
  inPlace: false,
  openRequest: false,
  labels: '',
  priority: '',
};

/** Of a trigger it has no run. */
export type Work = Omit<RunRequestWork, 'run' | 'from' | 'planOnly'>;

export function draftOf(work: Work): RequestDraft {
  const { project, task, manifest, model, agent, maxCostUsd, branch, inPlace, openRequest } = work;
  const { labels, priority } = work;
  const [path, text] = [
    manifest !== undefined && 'path' in manifest ? manifest.path : '',
    manifest !== undefined && 'text' in manifest ? manifest.text : '',
  ];
  return {
    project,
    kind: task === undefined ? (text === '' ? 'file' : 'text') : 'task',
    task: task ?? '',
    path,
    text,
    model: model ?? '',
    agent: agent ?? '',
    budget: maxCostUsd === undefined ? '' : String(maxCostUsd),
    branch: branch ?? '',
    inPlace,
    openRequest,
    labels: labels.join(', '),
    priority: priority === 0 ? '' : String(priority),
  };
}

export const labelsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((label) => label !== ''),
  ),
];

export function requestOf(draft: RequestDraft): NewRunRequest {
  const { project, kind, task, path, text, inPlace } = draft;
  const [model, agent, branch] = [draft.model.trim(), draft.agent, draft.branch.trim()];
  const maxCostUsd = Number(draft.budget);
  const labels = labelsOf(draft.labels);
  return {
    project,
    ...(kind === 'task' ? { task } : { manifest: kind === 'file' ? { path } : { text } }),
    ...(model === '' ? {} : { model }),
    ...(agent === '' ? {} : { agent }),
    ...(draft.budget === '' ? {} : { maxCostUsd }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(draft.priority === '' ? {} : { priority: Number(draft.priority) }),
    ...(inPlace
      ? { inPlace }
      : { ...(branch === '' ? {} : { branch }), openRequest: draft.openRequest }),
  };
}

/** What the form does not show stays as it was; streams belong to their manifest. */
export function workOf(draft: RequestDraft, before: Work | undefined) {
  const isSame = before?.task === undefined && draft.kind !== 'task';
  return { ...requestOf(draft), ...(isSame && before?.only ? { only: before.only } : {}) };
}

/** Of its task, without running it: what holds for the run comes with the run. */
export function planOf(draft: RequestDraft): NewRunRequest {
  const { project, task, model, labels, priority } = requestOf({ ...draft, kind: 'task' });
  return {
    project,
    ...(task === undefined ? {} : { task }),
    ...(model === undefined ? {} : { model }),
    ...(labels === undefined ? {} : { labels }),
    ...(priority === undefined ? {} : { priority }),
    planOnly: true,
  };
}

export function isFilled({ project, kind, task, path, text }: RequestDraft): boolean {
  return project !== '' && { task, file: path, text }[kind].trim() !== '';
}

export interface Offers {
  agents: string[];
  manifests: string[];
  labels: string[];
  mayInPlace: boolean;
  isConnected: boolean;
}

/** What its runners can do that are there; a request for something else would wait. */
export function offersOf(
  project: Project | undefined,
  runners: readonly Pick<Runner, 'id' | 'state' | 'agents' | 'labels'>[],
): Offers {
  const having = project?.runners ?? [];
  const all = runners.filter(({ id }) => having.some((each) => each.id === id));
  const connected = all.filter(({ state }) => state === 'connected');
  return {
    agents: [...new Set(connected.flatMap(({ agents }) => agents))].sort(),
    manifests: [...new Set(having.flatMap(({ manifests }) => manifests))].sort(),
    labels: [...new Set(all.flatMap(({ labels }) => labels))].sort(),
    mayInPlace: having.some(({ inPlace }) => inPlace),
    isConnected: connected.length > 0,
  };
}
