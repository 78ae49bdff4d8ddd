// Large texts of archived jobs in an object store.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTextStore } from '../../src/app/object-store.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import { createS3Store } from '../../src/platform/s3-store.ts';
import { TIERS } from '../../src/domain/job/tiers.ts';
import { applyRetention } from '../../src/engine/retention.ts';
import { jobsOf } from '../../src/store/export/team-rows.ts';
import { deleteDiscarded } from '../../src/store/jobs/archived-texts.ts';
import type { TextStore } from '../../src/store/jobs/archived-texts.ts';
import { listJobColumns, moveEndedJobs } from '../../src/store/jobs/archive-jobs.ts';
import { expectError } from '../support/expect-error.ts';
import { ageRun, daysAgo } from '../support/old-jobs.ts';
import { signatureOf, startS3 } from '../support/s3-server.ts';
import type { TestS3 } from '../support/s3-server.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { toolOf } from '../support/turns.ts';

let s3: TestS3;
let server: TestServer;
let texts: TextStore;

const settingsOf = (more: Record<string, string> = {}) => ({
  MILLRACE_OBJECT_STORE_URL: s3.url,
  MILLRACE_OBJECT_STORE_BUCKET: s3.bucket,
  MILLRACE_OBJECT_STORE_REGION: s3.region,
  MILLRACE_OBJECT_STORE_ACCESS_KEY_ID: s3.credentials.accessKeyId,
  MILLRACE_OBJECT_STORE_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  MILLRACE_OBJECT_STORE_LEAST_KB: '2',
  ...more,
});

beforeAll(async () => {
  s3 = await startS3();
  const { url, bucket, region, credentials } = s3;
  texts = { objects: createS3Store({ url, bucket, region, ...credentials }), leastBytes: 2048 };
  server = await startTestServer({
    objectStoreUrl: url,
    objectStoreBucket: bucket,
    objectStoreRegion: region,
    objectStoreKeyId: credentials.accessKeyId,
    objectStoreSecret: credentials.secretAccessKey,
    objectStoreLeastKb: 2,
  });
});

afterAll(async () => {
  await server.close();
  await s3.close();
});

const PROMPT = `Long: ${'x'.repeat(3000)} \u0000 \ud800`;

/** An aged job, with what its row had before it moves. */
async function oldJob(key: string, prompt: string, more: object = {}) {
  const jobId = await server.submit(key, { prompt, maxTokens: 20, ...more });
  const { runId } = await server.finished(key, jobId);
  const [id] = [...(await ageRun(server.db, String(runId), daysAgo(3))).values()];
  const { rows } = await server.db.query<{ output: string }>(
    'select output from jobs where id = $1',
    [id],
  );
  return { id: id!, runId: String(runId), output: JSON.parse(rows[0]!.output) as string };
}

/** The objects of a job, of which there is one. */
const objectsOf = (jobId: string) => [...s3.objects.keys()].filter((key) => key.includes(jobId));

async function move() {
  const columns = await listJobColumns(server.db);
  const options = { columns, texts, after: '', ageMs: 86_400_000, limit: 100, nowMs: Date.now() };
  return moveEndedJobs(server.db, options);
}

it('the server of the tests knows a signature from the documentation of S3', () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const headers = {
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': empty,
    'x-amz-date': '20130524T000000Z',
  };
  const signature = signatureOf(
    { method: 'GET', url: '/test.txt', headers },
    {
      scope: '20130524/us-east-1/s3/aws4_request',
      signedHeaders: 'host;range;x-amz-content-sha256;x-amz-date',
      secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
  );
  expect(signature).toBe('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41');
});

it('large texts leave the database when a job is archived, and are read as before', async () => {
  const { key, email } = await server.createKey();
  const [large, small] = [await oldJob(key, PROMPT), await oldJob(key, 'short')];
  expect(await move()).toMatchObject({ jobs: 2 });
  expect(objectsOf(large.id)).toEqual([
    expect.stringMatching(/^jobs\/\d{4}-\d\d\/job_\w+\.\w+\.json\.gz$/),
  ]);
  expect(objectsOf(small.id)).toEqual([]);
  const { rows } = await server.db.query(
    'select id, prompt, output is null as outside from archived_jobs where id = any($1) order by id',
    [[large.id, small.id]],
  );
  expect(rows).toEqual(
    [
      { id: large.id, prompt: '""', outside: true },
      { id: small.id, prompt: '"short"', outside: false },
    ].sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  const get = (path: string) => server.call('GET', `/api/v1/job/${large.id}${path}`, { key });
  expect((await get('/request')).body).toMatchObject({ prompt: PROMPT });
  expect((await get('?view=full')).body).toMatchObject({ output: large.output });
  const exported: unknown[] = [];
  for await (const row of jobsOf(server.db, await server.teamId(email), texts)) exported.push(row);
  expect(exported).toContainEqual(
    expect.objectContaining({ id: large.id, prompt: PROMPT, output: large.output }),
  );
});

it('so do messages, calls and what a provider wants back', async () => {
  const { key, email } = await server.createKey();
  const opaque = {
    provider: 'anthropic',
    model: 'm',
    format: 'anthropic',
    blocks: [{ a: PROMPT }],
  };
  const { id } = await oldJob(key, '[[sim:call first {"path":"a"}]]', { tools: [toolOf('first')] });
  await server.db.query('update jobs set opaque_answer = $2 where id = $1', [
    id,
    JSON.stringify(opaque),
  ]);
  const get = async (path: string) =>
    (await server.call('GET', `/api/v1/job/${id}${path}`, { key })).body;
  const before = [await get('/request'), await get('?view=full')];
  expect(before[1]).toMatchObject({
    toolCalls: [{ name: 'first', arguments: { path: 'a' } }],
    assistantMessage: { role: 'assistant', text: '', toolCalls: [{ name: 'first' }], opaque },
  });
  await move();
  expect(objectsOf(id)).toHaveLength(1);
  const { rows } = await server.db.query(
    'select 1 from archived_jobs where id = $1 and coalesce(conversation, tool_calls, opaque_answer) is null',
    [id],
  );
  expect(rows).toHaveLength(1);
  expect([await get('/request'), await get('?view=full')]).toEqual(before);
  const exported: Record<string, unknown>[] = [];
  for await (const row of jobsOf(server.db, await server.teamId(email), texts)) exported.push(row);
  expect(exported).toContainEqual(
    expect.objectContaining({
      id,
      conversation: { tools: [toolOf('first')] },
      toolCalls: [expect.objectContaining({ name: 'first' })],
      opaqueAnswer: opaque,
    }),
  );
});

it('a store that is down or lost something is told to who asks for the text, and nobody else', async () => {
  const { key } = await server.createKey();
  const { id, output } = await oldJob(key, PROMPT);
  await move();
  const path = `/api/v1/job/${id}`;
  s3.fault = 503;
  const unavailable = await server.call('GET', path, { key });
  expectError(unavailable, 'SERVICE_UNAVAILABLE');
  expect(unavailable.headers.get('retry-after')).toBe('5');
  const cancelled = await server.call('POST', `${path}/cancel`, { key });
  expect(cancelled.body).toEqual({ cancelled: false });
  expect((await server.call('GET', '/api/v1/jobs', { key })).body['items']).toHaveLength(1);
  s3.fault = undefined;
  expect((await server.call('GET', `${path}/request`, { key })).status).toBe(200);
  const [object] = objectsOf(id);
  const kept = s3.objects.get(object!)!;
  s3.objects.delete(object!);
  const missing = expectError(await server.call('GET', path, { key }), 'NOT_FOUND');
  expect(missing.message).toBe('The text of this job is missing from the object store.');
  s3.objects.set(object!, kept);
  expect((await server.call('GET', path, { key })).body).toMatchObject({ output });
});

it('while the store is down jobs with large texts stay, and others are archived', async () => {
  const { key } = await server.createKey();
  const [large, small] = [await oldJob(key, PROMPT), await oldJob(key, 'short')];
  s3.fault = 500;
  expect(await move()).toMatchObject({ jobs: 1, problem: { kind: 'unreachable' } });
  s3.fault = undefined;
  const where = async (table: string) =>
    (
      await server.db.query<{ id: string }>(`select id from ${table} where id = any($1)`, [
        [large.id, small.id],
      ])
    ).rows.map(({ id }) => id);
  expect(await where('jobs')).toEqual([large.id]);
  expect(await where('archived_jobs')).toEqual([small.id]);
  // What was announced is taken back by the move.
  const announced = async () =>
    (
      await server.db.query<{ key: string }>('select key from discarded_texts where key like $1', [
        `%${large.id}%`,
      ])
    ).rows.map(({ key: each }) => each);
  const failed = await announced();
  expect(failed).toHaveLength(1);
  expect(await move()).toMatchObject({ jobs: 1 });
  // What the try that failed may have left is still to be deleted.
  expect(await announced()).toEqual(failed);
  expect(objectsOf(large.id)).not.toEqual(failed);
});

it('objects go with their jobs, and so do those that no job came to name', async () => {
  const { db } = server;
  const { key, email } = await server.createKey();
  const [deleted, kept] = [await oldJob(key, PROMPT), await oldJob(key, PROMPT)];
  await move();
  await db.query(`update runs set team_id = 'team_other' where id = $1`, [kept.runId]);
  await db.query('update teams set deleted_at = now() where id = $1', [await server.teamId(email)]);
  await applyRetention({ db, tiers: TIERS, log: { info: () => undefined } });
  const orphan = `jobs/2026-11/${deleted.id.replace(/.$/, '0')}.json.gz`;
  s3.objects.set(orphan, Buffer.from('x'));
  for (const each of [orphan, ...objectsOf(kept.id)]) {
    await db.query('insert into discarded_texts (key, due_at) values ($1, now())', [each]);
  }
  s3.fault = 503;
  await expect(deleteDiscarded(db, texts, 10)).rejects.toMatchObject({ kind: 'unreachable' });
  s3.fault = undefined;
  // The one that failed is tried again later.
  await db.query('update discarded_texts set due_at = now()');
  expect(await deleteDiscarded(db, texts, 10)).toBe(3);
  expect(s3.objects.has(orphan)).toBe(false);
  expect(objectsOf(deleted.id)).toEqual([]);
  expect(objectsOf(kept.id)).toHaveLength(1);
  expect((await db.query('select 1 from discarded_texts')).rows).toEqual([]);
});

it('wrong settings are refused at the start in one line, and a store that is down is not', async () => {
  const lines: string[] = [];
  const scrubber = createScrubber();
  const log = createLogger({ level: 'warn', scrubber, write: (line) => void lines.push(line) });
  const open = (more: Record<string, string>) =>
    openTextStore(loadConfig(settingsOf(more)), { log, scrubber });
  for (const [more, code] of [
    [{ MILLRACE_OBJECT_STORE_SECRET_ACCESS_KEY: 'wrong' }, '403 SignatureDoesNotMatch'],
    [{ MILLRACE_OBJECT_STORE_ACCESS_KEY_ID: 'wrong' }, '403 InvalidAccessKeyId'],
    [{ MILLRACE_OBJECT_STORE_BUCKET: 'wrong' }, '404 NoSuchBucket'],
  ] as const) {
    const refused = open(more);
    await expect(refused).rejects.toThrow(`The object store answered ${code}. Check `);
    await expect(refused).rejects.not.toThrow(/\n|wrong/);
  }
  expect(await open({})).toMatchObject({ leastBytes: 2048 });
  expect(lines).toEqual([]);
  expect(await open({ MILLRACE_OBJECT_STORE_URL: 'http://127.0.0.1:1' })).toBeDefined();
  expect(lines.join('')).toContain('the object store cannot be reached; starting without it');
  expect(() => loadConfig(settingsOf({ MILLRACE_OBJECT_STORE_BUCKET: '' }))).toThrow(
    'MILLRACE_OBJECT_STORE_URL needs MILLRACE_OBJECT_STORE_BUCKET',
  );
});
