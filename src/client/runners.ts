// Runs that are asked for and made by runners.
import type {
  NewRunRequest,
  RunRequest,
  RunRequestPage,
  RunRequestStatus,
} from '../contract/run-request-api.ts';
import type { Project, ProjectList, Runner, RunnerList } from '../contract/runner-api.ts';
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';

export type { NewRunRequest } from '../contract/run-request-api.ts';

export interface RunRequestFilter {
  /** `open`: those that have not ended. */
  status?: RunRequestStatus | 'open';
  project?: string;
  /** That have made this run, or were asked to do something with it. */
  runId?: string;
  limit?: number;
  before?: string;
}

export interface RunRequestsApi {
  create(work: NewRunRequest, options?: CallOptions): Promise<RunRequest>;
  /** Newest first. */
  list(filter?: RunRequestFilter, options?: CallOptions): Promise<RunRequestPage>;
  /** With `waitSeconds`: when it has ended, or after this time. */
  get(id: string, options?: CallOptions & { waitSeconds?: number }): Promise<RunRequest>;
  cancel(id: string, options?: CallOptions): Promise<RunRequest>;
}

export interface RunnersApi {
  list(options?: CallOptions): Promise<RunnerList>;
  get(id: string, options?: CallOptions): Promise<Runner>;
  /** Finishes what it has, and takes nothing new. */
  setDraining(id: string, isDraining: boolean, options?: CallOptions): Promise<Runner>;
  remove(id: string, options?: CallOptions): Promise<{ removed: true; id: string }>;
  projects(options?: CallOptions): Promise<ProjectList>;
  /** Of a project, over all runners; null for no limit. */
  setMaxRunning(name: string, maxRunning: number | null, options?: CallOptions): Promise<Project>;
}

const REQUESTS = '/v1/run-requests';
const RUNNERS = '/v1/runners';
const PROJECTS = '/v1/projects';

export function runRequestsApi({ get, send }: Calls): RunRequestsApi {
  const at = (id: string, rest = '') => `${REQUESTS}/${part(id)}${rest}`;
  return {
    create: (work, options) => send('POST', REQUESTS, options, work),
    list: (filter, options) => get(REQUESTS, options, filter),
    get: (id, options) => get(at(id), options, { wait: options?.waitSeconds }),
    cancel: (id, options) => send('POST', at(id, '/cancel'), options),
  };
}

export function runnersApi({ get, send }: Calls): RunnersApi {
  const at = (id: string, rest = '') => `${RUNNERS}/${part(id)}${rest}`;
  return {
    list: (options) => get(RUNNERS, options),
    get: (id, options) => get(at(id), options),
    setDraining: (id, draining, options) => send('PATCH', at(id), options, { draining }),
    remove: (id, options) => send('DELETE', at(id), options),
    projects: (options) => get(PROJECTS, options),
    setMaxRunning: (name, maxRunning, options) =>
      send('PATCH', `${PROJECTS}/${part(name)}`, options, { maxRunning }),
  };
}
