// Streams and long polls outlast the check that opened them, but not the access of their caller.
import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { waitUntil } from '../support/processes.ts';
import { BELIEVES_TESTS, joinTeam, newPerson } from './people.ts';

const server = useServer(BELIEVES_TESTS);
const JOB = { streamId: 's', prompt: '[[sim:hang]]', model: 'sim-instant', maxTokens: 9 };

/** Resolves with the text of the stream when it ends. */
async function openStream(path: string, headers: Record<string, string>) {
  const response = await fetch(server().url + path, { headers });
  expect(response.status).toBe(200);
  return { ended: response.text() };
}

it('end when the team of what they show is suspended, whatever team they were opened in', async () => {
  const [owner, member, root] = [
    await newPerson(server()),
    await newPerson(server()),
    await newPerson(server()),
  ];
  await server().db.query('update users set is_admin = true where id = $1', [root.userId]);
  const teamId = (await owner.call('POST', '/v1/teams', { name: 'T' })).body['id'] as string;
  await joinTeam(server(), { teamId, userId: member.userId, role: 'viewer' });
  const inTeam = { 'sec-fetch-site': 'same-origin', 'x-team-id': teamId };
  const { body } = await owner.call('POST', '/api/v1/execute', JOB, inTeam);
  const path = `/api/v1/job/${String(body['jobId'])}`;
  // Not in the team of the job, but in the personal one.
  const stream = await openStream(`${path}/events`, { cookie: member.cookie! });
  const poll = member.call('GET', `${path}?wait=60`);
  const suspended = await root.call('PATCH', `/api/v1/admin/teams/${teamId}`, { suspended: true });
  expect(suspended.status).toBe(200);
  expect(await stream.ended).not.toContain('event: done');
  expectError(await poll, 'ACCOUNT_SUSPENDED');
  const again = await root.call('PATCH', `/api/v1/admin/teams/${teamId}`, { suspended: false });
  expect(again.status).toBe(200);
  await waitUntil(
    async () => (await owner.call('POST', `${path}/cancel`, {}, inTeam)).status === 200,
    'the job to be cancelled',
  );
}, 40_000);

it('end when the key expires', async () => {
  const person = await newPerson(server());
  const KEYS = '/api/v1/api-keys';
  /** Of a key that has a successor and expires soon; later on a machine that is too slow for that. */
  async function openBeforeEnd(
    seconds: number,
  ): Promise<{ stream: Response; key: string; path: string }> {
    const made = await person.call('POST', KEYS, { name: 'x' });
    const { id, key } = made.body as { id: string; key: string };
    const path = `/api/v1/job/${await server().submit(key, JOB)}`;
    await person.call('POST', `${KEYS}/${id}/rotate`, { gracePeriodHours: seconds / 3600 });
    const headers = { 'x-api-key': key };
    const stream = await fetch(`${server().url}${path}/events`, { headers });
    return stream.status === 200 ? { stream, key, path } : openBeforeEnd(seconds * 2);
  }
  const { stream, key, path } = await openBeforeEnd(2);
  const poll = server().call('GET', `${path}?wait=60`, { key });
  expect(await stream.text()).not.toContain('event: done');
  expectError(await poll, 'UNAUTHORIZED');
}, 40_000);

it('end when the key is revoked', async () => {
  const { key, id } = await server().createKey();
  const path = `/api/v1/job/${await server().submit(key, JOB)}`;
  const stream = await openStream(`${path}/events`, { 'x-api-key': key });
  const poll = server().call('GET', `${path}?wait=60`, { key });
  await server().revokeKey(id);
  expect(await stream.ended).not.toContain('event: done');
  expectError(await poll, 'UNAUTHORIZED');
}, 40_000);
