// What is typed into the form of a new run, and the request that it makes.
import type { NewRunRequest, RunRequestWork } from '../../../src/contract/run-request-api.ts';
import type { Project } from '../../../src/contract/runner-api.ts';

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
};

/** Of a trigger it has no run. */
export type Work = Omit<RunRequestWork, 'run' | 'from'>;

export function draftOf(work: Work): RequestDraft {
  const { project, task, manifest, model, agent, maxCostUsd, branch, inPlace, openRequest } = work;
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
  };
}

export function requestOf(draft: RequestDraft): NewRunRequest {
  const { project, kind, task, path, text, inPlace } = draft;
  const [model, agent, branch] = [draft.model.trim(), draft.agent, draft.branch.trim()];
  const maxCostUsd = Number(draft.budget);
  return {
    project,
    ...(kind === 'task' ? { task } : { manifest: kind === 'file' ? { path } : { text } }),
    ...(model === '' ? {} : { model }),
    ...(agent === '' ? {} : { agent }),
    ...(draft.budget === '' ? {} : { maxCostUsd }),
    ...(inPlace
      ? { inPlace }
      : { ...(branch === '' ? {} : { branch }), openRequest: draft.openRequest }),
  };
}

/** What the form does not show stays as it was; streams belong to their manifest. */
export function workOf(draft: RequestDraft, before: Work | undefined) {
  if (before === undefined) return requestOf(draft);
  const { only, labels, priority } = before;
  const isSame = before.task === undefined && draft.kind !== 'task';
  return { ...requestOf(draft), ...(isSame && only ? { only } : {}), labels, priority };
}

export function isFilled({ project, kind, task, path, text }: RequestDraft): boolean {
  return project !== '' && { task, file: path, text }[kind].trim() !== '';
}

export interface Offers {
  agents: string[];
  manifests: string[];
  mayInPlace: boolean;
  isConnected: boolean;
}

/** What its runners can do that are there; a request for something else would wait. */
export function offersOf(
  project: Project | undefined,
  runners: readonly { id: string; state: string; agents: readonly string[] }[],
): Offers {
  const having = project?.runners ?? [];
  const connected = runners.filter(
    ({ id, state }) => state === 'connected' && having.some((each) => each.id === id),
  );
  return {
    agents: [...new Set(connected.flatMap(({ agents }) => agents))].sort(),
    manifests: [...new Set(having.flatMap(({ manifests }) => manifests))].sort(),
    mayInPlace: having.some(({ inPlace }) => inPlace),
    isConnected: connected.length > 0,
  };
}
