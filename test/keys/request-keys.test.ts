import { beforeEach, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { detailOf, useKeyServer } from './key-server.ts';

const OPERATOR = 'operator-key-for-google-000000';
const context = useKeyServer({ operatorKeys: { google: OPERATOR } });
beforeEach(() => context().vendors.reset());

const RAW = 'zz-only-for-this-request-0000000001';
const withKey = { 'x-provider-key': RAW };
const HANGING = '[[vendor:fault name=hang-mid-stream]]';

async function sealedKeyOf(jobId: string): Promise<{ status: string; sealed: string | null }> {
  const { rows } = await context().server.db.query<{ status: string; sealed: string | null }>(
    'select status, sealed_key as sealed from jobs where id = $1',
    [jobId],
  );
  return rows[0]!;
}

const newUser = async () => (await context().server.createKey()).key;

describe('a key that comes with the request', () => {
  it('is used for the call and erased when the job completes', async () => {
    verifies('job.provider-key.header', 'job.provider-key.sealed', 'job.provider-key.discarded');
    const { server, vendors, execute } = context();
    const key = await newUser();
    const { body } = await execute(key, { provider: 'anthropic', headers: withKey });
    const jobId = body['jobId'] as string;
    expect(await server.finished(key, jobId)).toMatchObject({ status: 'completed' });
    expect(await sealedKeyOf(jobId)).toEqual({ status: 'completed', sealed: null });
    expect(vendors.calls().map((call) => call.key)).toEqual([RAW]);
    // It is not kept for the next one.
    const next = await execute(key, { provider: 'anthropic' });
    expect(detailOf(next)).toMatchObject({ code: 'NO_PROVIDER_KEY' });
  });

  it('is erased when the job fails', async () => {
    verifies('job.provider-key.sealed');
    const key = await newUser();
    context().vendors.setKeys('anthropic', []);
    const job = await context().run(key, { provider: 'anthropic', headers: withKey });
    expect(job).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_AUTH' });
    expect(JSON.stringify(job)).not.toContain(RAW);
    expect(await sealedKeyOf(job['jobId'] as string)).toEqual({ status: 'failed', sealed: null });
  });

  it('is sealed while the job runs, and erased when that is cancelled', async () => {
    verifies('job.provider-key.sealed');
    const { server, vendors, execute } = context();
    const key = await newUser();
    const { body } = await execute(key, {
      provider: 'anthropic',
      prompt: HANGING,
      headers: withKey,
    });
    const jobId = body['jobId'] as string;
    await waitUntil(() => vendors.calls()[0]?.pieces, 'the call to begin');
    const running = await sealedKeyOf(jobId);
    expect(running).toEqual({ status: 'running', sealed: expect.stringMatching(/^v1\./) });
    expect(running.sealed).not.toContain(RAW);
    await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
    expect(await sealedKeyOf(jobId)).toEqual({ status: 'failed', sealed: null });
    await waitUntil(() => vendors.calls()[0]!.clientClosedAt, 'the call to be given up');
  });

  it('is sealed while the job waits, and erased when that is cancelled', async () => {
    verifies('job.provider-key.sealed');
    const { server, execute } = context();
    const { key } = await server.createKey({ tier: 'trial' });
    const jobs: string[] = [];
    // Two run, the others wait for one of them to end.
    for (let n = 0; n < 4; n++) {
      const { body } = await execute(key, {
        provider: 'anthropic',
        prompt: HANGING,
        headers: withKey,
      });
      jobs.push(body['jobId'] as string);
    }
    const waiting = await sealedKeyOf(jobs[3]!);
    expect(waiting.status).toBe('pending');
    expect(waiting.sealed).toMatch(/^v1\./);
    expect(waiting.sealed).not.toContain(RAW);
    for (const jobId of jobs.toReversed()) {
      await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
      expect(await sealedKeyOf(jobId)).toEqual({ status: 'failed', sealed: null });
    }
  });

  it('moved into the row of another job does not open there', async () => {
    verifies('provider-keys.bound');
    const { server, execute } = context();
    const { key } = await server.createKey({ tier: 'trial' });
    const ids: string[] = [];
    for (const headers of [withKey, withKey, { 'x-provider-key': 'another-key-000000000' }]) {
      const { body } = await execute(key, { provider: 'anthropic', prompt: HANGING, headers });
      ids.push(body['jobId'] as string);
    }
    await server.db.query(
      `update jobs set sealed_key = (select sealed_key from jobs where id = $1) where id = $2`,
      [ids[0], ids[2]],
    );
    for (const jobId of ids.slice(0, 2)) {
      await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
    }
    expect(await server.finished(key, ids[2]!)).toMatchObject({
      status: 'failed',
      errorCode: 'NO_PROVIDER_KEY',
    });
    expect(context().vendors.calls()).toHaveLength(2);
  });

  it('plays no part in a repeated request', async () => {
    const { server, vendors, execute } = context();
    const key = await newUser();
    const send = (raw: string) =>
      execute(key, {
        provider: 'anthropic',
        headers: { 'x-provider-key': raw, 'idempotency-key': 'once' },
      });
    const first = await send(RAW);
    await server.finished(key, first.body['jobId'] as string);
    const again = await send('another-key-000000001');
    expect(again.status).toBe(202);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(vendors.calls().map((call) => call.key)).toEqual([RAW]);
    const { rows } = await server.db.query<{ row: string }>(
      'select idempotency_keys::text as row from idempotency_keys',
    );
    expect(JSON.stringify(rows)).not.toContain(RAW);
  });

  it.each(['short', 'with blank inside', 'x'.repeat(501)])('is refused as %j', async (raw) => {
    const answer = await context().execute(await newUser(), {
      provider: 'anthropic',
      headers: { 'x-provider-key': raw },
    });
    expectError(answer, 'VALIDATION_ERROR');
    expect(JSON.stringify(answer.body)).not.toContain(raw);
    expect(detailOf(answer).path).toMatch(/x-provider-key/);
  });
});

describe('the order of keys', () => {
  it("is the request's, then the stored one, then the operator's", async () => {
    verifies('job.provider-key.order', 'job.provider-key.stored');
    const { vendors, store, server, run } = context();
    const key = await newUser();
    const used = () => vendors.calls({ vendor: 'google' }).at(-1)!.key;
    await run(key, { provider: 'google' });
    expect(used()).toBe(OPERATOR);
    await store(key, 'google', 'stored-key-of-the-user-00000');
    await run(key, { provider: 'google' });
    expect(used()).toBe('stored-key-of-the-user-00000');
    await run(key, { provider: 'google', headers: withKey });
    expect(used()).toBe(RAW);
    await server.call('DELETE', '/api/v1/keys/google', { key });
    await run(key, { provider: 'google' });
    expect(used()).toBe(OPERATOR);
  });

  it("does not fall back to the operator's key when the stored one is rejected", async () => {
    const { vendors, store, run } = context();
    const key = await newUser();
    await store(key, 'google', 'stored-key-of-the-user-00000');
    vendors.setKeys('google', [OPERATOR]);
    expect(await run(key, { provider: 'google' })).toMatchObject({
      status: 'failed',
      errorCode: 'PROVIDER_AUTH',
    });
    expect(vendors.calls().some((call) => call.key === OPERATOR)).toBe(false);
  });

  it('without any key is a refusal that says what to do', async () => {
    verifies('job.provider-key.none');
    const answer = await context().execute(await newUser(), { provider: 'anthropic' });
    expectError(answer, 'VALIDATION_ERROR');
    expect(detailOf(answer)).toMatchObject({ code: 'NO_PROVIDER_KEY' });
    expect(detailOf(answer).message).toMatch(/POST \/api\/v1\/keys.*X-Provider-Key/);
  });

  it('fails a waiting job whose stored key is deleted before it runs', async () => {
    verifies('job.provider-key.none');
    const { server, store, execute } = context();
    const { key } = await server.createKey({ tier: 'trial' });
    await store(key, 'anthropic', RAW);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { body } = await execute(key, { provider: 'anthropic', prompt: HANGING });
      ids.push(body['jobId'] as string);
    }
    await waitUntil(() => context().vendors.load('anthropic').active === 2, 'two calls to begin');
    await server.call('DELETE', '/api/v1/keys/anthropic', { key });
    for (const jobId of ids.slice(0, 2)) {
      await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
    }
    expect(await server.finished(key, ids[2]!)).toMatchObject({
      status: 'failed',
      errorCode: 'NO_PROVIDER_KEY',
      error: 'The key for anthropic was removed',
    });
  });
});
