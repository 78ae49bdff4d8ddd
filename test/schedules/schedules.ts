// Schedules for tests, on projects that no runner has to be connected for.
import { expect } from 'vitest';
import type { Schedule, ScheduleFiring } from '../../src/contract/schedule-api.ts';
import { waitUntil } from '../support/processes.ts';
import type { KeyOptions, TestServer } from '../support/server.ts';

export interface Owner {
  server: TestServer;
  key: string;
  email: string;
  userId: string;
  teamId: string;
}

export const WORK = { project: 'shop', task: 'Fix dead links' };

/** Someone with a project "shop". */
export async function createOwner(server: TestServer, options?: KeyOptions): Promise<Owner> {
  const { key, email } = await server.createKey(options);
  const owner = {
    server,
    key,
    email,
    userId: await server.userId(email),
    teamId: await server.teamId(email),
  };
  await addProject(owner);
  return owner;
}

export async function addProject({ server, teamId }: Pick<Owner, 'server' | 'teamId'>) {
  await server.db.query(
    `insert into projects (team_id, name) values ($1, 'shop') on conflict do nothing`,
    [teamId],
  );
}

export async function create(owner: Owner, more: object = {}): Promise<Schedule> {
  const body = { name: 'Nightly', cron: '0 2 * * *', work: WORK, ...more };
  const answer = await owner.server.call('POST', '/v1/schedules', { key: owner.key, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body as unknown as Schedule;
}

export async function find({ server, key }: Owner, id: string): Promise<Schedule> {
  const { status, body } = await server.call('GET', `/v1/schedules/${id}`, { key });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as unknown as Schedule;
}

export async function firingsOf({ server, key }: Owner, id: string): Promise<ScheduleFiring[]> {
  const { body } = await server.call('GET', `/v1/schedules/${id}/firings`, { key });
  return body['items'] as ScheduleFiring[];
}

/** As if it had become due, and the server looks. */
export async function makeDue({ server, key }: Owner, id: string, ago = '1 second') {
  await server.db.query(
    `update schedules set next_at = now() - $2::interval where id = $1 and status = 'active'`,
    [id, ago],
  );
  await server.call('PATCH', `/v1/schedules/${id}`, { key, body: {} });
}

/** Makes it due, and waits for what comes of it. */
export async function fire(owner: Owner, id: string, ago?: string): Promise<ScheduleFiring> {
  const before = await firingsOf(owner, id);
  await makeDue(owner, id, ago);
  return waitUntil(async () => {
    const [newest] = await firingsOf(owner, id);
    return newest?.id === before[0]?.id ? undefined : newest;
  }, 'a firing');
}

export interface RequestRow {
  id: string;
  status: string;
  userId: string;
  work: Record<string, unknown>;
  outcome: { message?: string } | null;
}

/** Oldest first. */
export async function requestsOf({ server }: Owner, originId: string): Promise<RequestRow[]> {
  const { rows } = await server.db.query<RequestRow>(
    `select id, status, user_id as "userId", work, outcome from run_requests
     where origin_id = $1 order by id`,
    [originId],
  );
  return rows;
}

/** As a runner would. */
export async function endRequests(
  { server }: Owner,
  originId: string,
  status: 'completed' | 'failed',
): Promise<void> {
  await server.db.query(
    `update run_requests set status = $2, ended_at = now()
     where origin_id = $1 and status in ('queued', 'running')`,
    [originId, status],
  );
}
