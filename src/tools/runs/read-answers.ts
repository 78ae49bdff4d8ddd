// What a server says of runs and projects, from a server that may be anything: a proxy, a start page, another program.
import { z } from 'zod';
import type { CallOptions, MillraceClient } from '../../client/index.ts';
import { MillraceConnectionError } from '../../client/index.ts';
import { ProjectList } from '../../contract/runner-api.ts';
import type { Project } from '../../contract/runner-api.ts';
import { RunRequest } from '../../contract/run-request-api.ts';
import type { NewRunRequest } from '../../contract/run-request-api.ts';

/** What a later version adds is none of our business, what we read must be there. */
function check<T>(schema: z.ZodType<T>, answer: unknown, what: string): T {
  if (schema.safeParse(answer).success) return answer as T;
  throw new MillraceConnectionError(`the answer is not ${what}`);
}

const checkRequest = (answer: unknown) => check(RunRequest, answer, 'a run request');

export async function listProjectsOf(client: MillraceClient): Promise<Project[]> {
  return check(ProjectList, await client.runners.projects(), 'a list of projects').items;
}

export const createRequest = async (client: MillraceClient, work: NewRunRequest) =>
  checkRequest(await client.runRequests.create(work));

export const cancelRequest = async (client: MillraceClient, id: string) =>
  checkRequest(await client.runRequests.cancel(id));

export const getRequest = async (
  client: MillraceClient,
  id: string,
  options?: CallOptions & { waitSeconds?: number },
) => checkRequest(await client.runRequests.get(id, options));

const Page = z.looseObject({ items: z.array(RunRequest) });

/** Of a project, those that have not ended. */
export async function listOpen(
  client: MillraceClient,
  project: string,
  limit: number,
): Promise<RunRequest[]> {
  const page = await client.runRequests.list({ status: 'open', project, limit });
  return check(Page, page, 'a list of run requests').items;
}
