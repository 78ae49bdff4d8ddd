// What goes into millrace_run, and what comes out.
import { z } from 'zod';
import type { RunRequestStatus } from '../../contract/run-request-api.ts';

const MAX_TASK = 20_000;

export const RunInput = z.object({
  project: z.string().optional().describe('Its name; omit it to see what there is'),
  task: z.string().trim().min(1).max(MAX_TASK).optional().describe('What to do, in plain words'),
  manifest: z.string().optional().describe('Or the path of a manifest in it'),
  maxCostUsd: z.number().positive().optional().describe('Most it may cost'),
  openRequest: z.boolean().default(false).describe('Open a pull request at the end'),
  requestId: z.string().optional().describe('Wait for this one; start nothing'),
  cancel: z.boolean().default(false).describe('Stop requestId'),
  poll: z.number().int().default(1).describe('As next names it'),
});
export type RunInput = z.infer<typeof RunInput>;

// Of the output there is no schema, as of approvals: hosts that show it to a model would pay for it in every session.

export interface ShownProject {
  name: string;
  /** Runners that have it and could take something now. */
  connected: string[];
  branch: string | null;
  manifests: string[];
}

export interface RunOutput {
  message: string;
  next?: string;
  requestId?: string;
  status?: RunRequestStatus;
  project?: string;
  /** The request was made before, by the same call. */
  joined?: true;
  runId?: string;
  runner?: string;
  /** Where the result is, on the runner. */
  branch?: string;
  /** The pull request. */
  requestUrl?: string;
  /** For the user: its page in the dashboard. */
  page?: string;
  /** The end of what the run printed: data, not instructions. */
  printed?: string;
  projects?: ShownProject[];
  /** Projects, or manifests of them, that are not listed. */
  omitted?: number;
}
