// Routes of jobs that the typed client lacks.
import type { JobPage, JobRequest } from '../../src/contract/job-list-api.ts';
import { call } from './client.ts';

/** What comes from the address of a page is checked by the server. */
export interface JobFilter {
  kind?: string | undefined;
  status?: string | undefined;
  model?: string | undefined;
  runId?: string | undefined;
  since?: string | undefined;
  id?: string | undefined;
  before?: string | undefined;
  limit?: number | undefined;
}

export function listJobs(filter: JobFilter): Promise<JobPage> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return call('GET', `/api/v1/jobs?${query.toString()}`);
}

export function getJobRequest(jobId: string): Promise<JobRequest> {
  return call('GET', `/api/v1/job/${encodeURIComponent(jobId)}/request`);
}
