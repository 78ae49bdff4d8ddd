import { expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

const SECRET = 'CANARY-of-the-project';
const head = (seq: number) => ({ v: 1, seq, ts: '2026-01-01T00:00:00.000Z' });
const attempt = { stream: 'a', attempt: 1 };
const TOKENS = { input: 7, output: 5, cachedInput: 0 };

/** Everything that must not be seen says so. */
const EVENTS = [
  {
    type: 'run.started',
    runId: 'r-shared',
    manifest: 'Shelves',
    file: `${SECRET}.yaml`,
    streams: [{ id: 'a', name: 'The type', wave: 1, status: 'pending', waitsFor: [] }],
  },
  { type: 'run.note', code: 'X', message: SECRET },
  { type: 'stream.started', ...attempt, wave: 1 },
  { type: 'stream.call', ...attempt, call: 1, key: SECRET },
  { type: 'stream.job', ...attempt, call: 1, jobId: SECRET },
  { type: 'stream.waiting', ...attempt, reason: 'retry', detail: SECRET },
  {
    type: 'stream.answer',
    ...attempt,
    call: 1,
    ok: false,
    tokens: TOKENS,
    costUsd: 0.5,
    error: SECRET,
  },
  { type: 'stream.applied', ...attempt, files: [{ path: 'src/FILE.ts' }] },
  { type: 'command.started', ...attempt, phase: 'verify', command: SECRET },
  {
    type: 'command.finished',
    ...attempt,
    phase: 'verify',
    command: SECRET,
    ok: false,
    output: SECRET,
  },
  { type: 'stream.rolled_back', ...attempt, reason: SECRET },
  {
    type: 'stream.failed',
    ...attempt,
    wave: 1,
    durationMs: 5,
    tokens: TOKENS,
    costUsd: 0.5,
    error: SECRET,
  },
  { type: 'stream.of_a_later_version', ...attempt, text: SECRET },
].map((event, index) => ({ ...head(index + 1), ...event }));

async function reportRun(key: string) {
  const file = { path: 'src/FILE.ts', kind: 'edit', additions: 1, deletions: 0, patch: '+LINE' };
  const body = {
    name: 'Shelves',
    events: EVENTS,
    changes: [{ streamId: 'a', files: [file] }],
    summary: { done: 0, failed: 1, total: 1, wave: 1, waves: 1, simulated: false, problem: SECRET },
  };
  const answer = await server().call('POST', '/api/v1/runs/r-shared/events', { key, body });
  expect(answer.status).toBe(200);
}

async function look(id: string, token: string, rest = '') {
  const headers = { 'x-share-token': token };
  const response = await fetch(`${server().url}/api/v1/shared/${id}${rest}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

it('a run is shared by a link that tells how it goes and nothing of the project', async () => {
  const { key, ...own } = await server().createKey({ scopes: [...SCOPES] });
  const stranger = await server().createKey();
  await reportRun(key);
  const shares = '/api/v1/runs/r-shared/shares';
  expect((await server().call('POST', shares, { key: stranger.key })).status).toBe(403);
  expect((await server().call('POST', '/api/v1/runs/r-none/shares', { key })).status).toBe(404);
  const wrong = await server().call('POST', shares, { key, body: { expiresIn: '9y' } });
  expect(wrong.status).toBe(400);

  const { status, body: share } = await server().call('POST', shares, { key });
  expect(status).toBe(201);
  const { id, token } = share as { id: string; token: string };
  expect(share['path']).toBe(`/s/${id}#${token}`);
  const days = (Date.parse(String(share['expiresAt'])) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);

  const seen = await look(id, token);
  expect(seen.status).toBe(200);
  expect(seen.headers.get('x-robots-tag')).toBe('noindex');
  expect(seen.text).toContain('The type');
  expect(seen.text).not.toContain(SECRET);
  expect(seen.text).not.toContain('FILE');
  const { events } = JSON.parse((await look(id, token, '?after=10')).text) as { events: object[] };
  expect(events).toMatchObject([{ type: 'stream.rolled_back' }, { type: 'stream.failed' }]);
  expect((await look(id, token, '/changes')).status).toBe(403);

  // Only the hash is kept, and neither the list nor the audit log has more.
  const kept = await server().db.query('select * from run_shares');
  const listed = await server().call('GET', shares, { key });
  const audit = await server().call('GET', '/v1/audit', { key });
  expect(JSON.stringify([kept.rows, listed.body, audit.body])).not.toContain(token);
  expect(JSON.stringify(audit.body)).toContain('run.shared');
  expect(listed.body['items']).toMatchObject([{ id, includeChanges: false }]);
  expect(own).toBeDefined();
});

it('a link shows diffs only when it was made for that, and ends when it is revoked or expires', async () => {
  const { key } = await server().createKey({ email: 'sharing@example.com' });
  const body = {
    name: 'B',
    events: [],
    changes: [
      {
        streamId: 'a',
        files: [{ path: 'b.ts', kind: 'create', additions: 1, deletions: 0, patch: '+LINE' }],
      },
    ],
    summary: { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: false },
  };
  await server().call('POST', '/api/v1/runs/r-diffs/events', { key, body });
  const shares = '/api/v1/runs/r-diffs/shares';
  const wish = { expiresIn: '1h', includeChanges: true };
  const made = async () => {
    const answer = await server().call('POST', shares, { key, body: wish });
    return answer.body as { id: string; token: string };
  };
  const [first, second] = [await made(), await made()];
  expect((await look(first.id, first.token, '/changes')).text).toContain('+LINE');
  // The secret of one link does not open another.
  expect((await look(first.id, second.token)).status).toBe(404);

  const revoked = await server().call('DELETE', `${shares}/${first.id}`, { key });
  expect(revoked).toMatchObject({ status: 200, body: { revoked: true } });
  expect((await look(first.id, first.token)).status).toBe(404);
  expect((await look(first.id, first.token, '/changes')).status).toBe(404);
  expect((await server().call('DELETE', `${shares}/${first.id}`, { key })).status).toBe(404);

  await server().db.query('update run_shares set expires_at = now() where id = $1', [second.id]);
  expect((await look(second.id, second.token)).status).toBe(404);
  expect((await server().call('GET', shares, { key })).body).toEqual({ items: [] });
});

it('the same request with its Idempotency-Key makes one link', async () => {
  const { key } = await server().createKey();
  const summary = { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: false };
  const report = { name: 'C', events: [], summary };
  await server().call('POST', '/api/v1/runs/r-once/events', { key, body: report });
  const shares = '/api/v1/runs/r-once/shares';
  const share = (body: object) =>
    server().call('POST', shares, { key, body, headers: { 'idempotency-key': 'k1' } });
  const [one, two] = await Promise.all([share({}), share({ expiresIn: '7d' })]);
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(one.body).toEqual(two.body);
  expect([one, two].filter((each) => each.headers.get('idempotency-replayed'))).toHaveLength(1);
  expect((await server().call('GET', shares, { key })).body['items']).toHaveLength(1);
  const { id, token } = one.body as { id: string; token: string };
  expect((await look(id, token)).status).toBe(200);
  expect((await share({ expiresIn: '1h' })).body).toMatchObject({
    error: { code: 'IDEMPOTENCY_KEY_REUSED' },
  });
  // A link that was revoked does not come back.
  await server().call('DELETE', `${shares}/${id}`, { key });
  expect((await share({})).body).toMatchObject({ error: { code: 'CONFLICT' } });
});

it('a run has at most fifty links that work, and a team a thousand', async () => {
  const { key, email } = await server().createKey();
  const teamId = await server().teamId(email);
  await reportRun(key);
  const make = (runId: string) =>
    server().call('POST', `/api/v1/runs/${runId}/shares`, { key, body: { expiresIn: '1h' } });
  const fill = (runId: string, count: number) =>
    server().db.query(
      `insert into run_shares (id, team_id, run_id, user_id, token_hash, include_changes, expires_at)
       select $2 || '-' || n, $1, $2, 'user_x', '', false, now() + interval '1 hour'
       from generate_series(1, $3::int) n`,
      [teamId, runId, count],
    );
  const first = await make('r-shared');
  await fill('r-shared', 49);
  expect(await make('r-shared')).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', message: expect.stringContaining('50 links') as string } },
  });
  await server().call('DELETE', `/api/v1/runs/r-shared/shares/${first.body['id'] as string}`, {
    key,
  });
  expect((await make('r-shared')).status).toBe(201);

  const summary = { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: false };
  for (const run of ['r-second', 'r-third']) {
    const body = { name: run, events: [], summary };
    await server().call('POST', `/api/v1/runs/${run}/events`, { key, body });
  }
  await fill('r-second', 950);
  expect(await make('r-third')).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT' } },
  });
});
