// Which provider a job goes to, and with whose key.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { useVendorJobs } from './vendor-jobs.ts';

const OPERATOR = { anthropic: 'operator-key-anthropic', google: 'operator-key-google' };
const jobs = useVendorJobs({ operatorKeys: OPERATOR, defaultProvider: 'google' });

let ids = 0;

/** Runs a job of a fresh account and tells where its call went. */
async function calledBy(
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
  account?: string,
) {
  const { server, vendors } = jobs();
  const key = account ?? (await server.createKey()).key;
  const id = `choice-${++ids}`;
  const answer = await server.call('POST', '/api/v1/execute', {
    key,
    headers,
    body: { streamId: 'api', maxTokens: 100, prompt: `[[vendor:reply id=${id}]]`, ...body },
  });
  if (answer.status !== 202) return { refused: JSON.stringify(answer.body) };
  const job = await server.finished(key, answer.body['jobId'] as string);
  expect(job['status']).toBe('completed');
  const [call] = vendors.calls({ id });
  return { vendor: call!.vendor, key: call!.key, path: call!.path, body: call!.body, job };
}

describe('the provider', () => {
  const headers = { 'x-provider-key': 'a-key-of-the-request' };

  it('that the body names wins over the model id', async () => {
    const called = await calledBy({ model: 'claude-opus-4-8', provider: 'openrouter' }, headers);
    expect(called).toMatchObject({
      vendor: 'openrouter',
      body: { model: 'claude-opus-4-8' },
      job: { provider: 'openrouter', model: 'claude-opus-4-8' },
    });
  });

  it('that the model id names as a prefix is called without the prefix', async () => {
    const called = await calledBy({ model: 'openai:llama3.1:8b' }, headers);
    expect(called).toMatchObject({ vendor: 'compatible', body: { model: 'llama3.1:8b' } });
    const gemini = await calledBy({ model: 'gemini:gemini-x' }, headers);
    expect(gemini.vendor).toBe('google');
    expect(gemini.path).toContain('/models/gemini-x:streamGenerateContent');
  });

  it('is told from the shape of the model id, else it is the default', async () => {
    for (const [model, vendor] of [
      ['claude-x', 'anthropic'],
      ['gpt-x', 'compatible'],
      ['gemini-x', 'google'],
      ['vendor/model', 'openrouter'],
      ['unheard-of', 'google'],
    ]) {
      expect((await calledBy({ model }, headers)).vendor, model).toBe(vendor);
    }
  });
});

describe('the key', () => {
  const model = 'claude-opus-4-8';

  async function accountWithKey(): Promise<string> {
    const { server } = jobs();
    const { key } = await server.createKey();
    const body = { provider: 'anthropic', key: 'stored-key-of-user', tosAccepted: true };
    const answer = await server.call('POST', '/api/v1/keys', { key, body });
    expect(answer.status).toBe(201);
    return key;
  }

  it("is the operator's own where the user has none", async () => {
    expect(await calledBy({ model })).toMatchObject({ key: OPERATOR.anthropic });
  });

  it('is the stored one where there is one', async () => {
    const account = await accountWithKey();
    expect(await calledBy({ model }, {}, account)).toMatchObject({ key: 'stored-key-of-user' });
  });

  it('of the request wins over both', async () => {
    const account = await accountWithKey();
    const headers = { 'x-provider-key': 'key-of-this-request' };
    const called = await calledBy({ model }, headers, account);
    expect(called).toMatchObject({ key: 'key-of-this-request' });
  });

  it('is asked for when there is none', async () => {
    const { refused } = await calledBy({ model: 'openrouter:vendor/model' });
    expect(refused).toContain('NO_PROVIDER_KEY');
  });

  it('is not needed for a server of the operator that asks for none', async () => {
    const called = await calledBy({ model: 'gpt-x' });
    expect(called.vendor).toBe('compatible');
    expect(called.key).toBeUndefined();
  });
});

describe('the environment of the server', () => {
  const before = { ...process.env };
  let trap: VendorServer | undefined;

  beforeAll(async () => {
    trap = await startVendorServer();
    const traps: Record<string, string> = {
      ANTHROPIC_API_KEY: 'environment-key',
      ANTHROPIC_AUTH_TOKEN: 'environment-key',
      ANTHROPIC_BASE_URL: trap.url('anthropic'),
      OPENAI_API_KEY: 'environment-key',
      OPENAI_BASE_URL: trap.url('openai'),
      GOOGLE_GENERATIVE_AI_API_KEY: 'environment-key',
      OPENROUTER_API_KEY: 'environment-key',
      OPENROUTER_BASE_URL: trap.url('openrouter'),
    };
    Object.assign(process.env, traps);
  });
  afterAll(async () => {
    for (const name of Object.keys(process.env)) {
      if (!(name in before)) delete process.env[name];
    }
    Object.assign(process.env, before);
    await trap?.close();
  });

  it('decides neither the key nor the address of a call', async () => {
    const headers = { 'x-provider-key': 'key-of-this-request' };
    for (const model of ['claude-x', 'gpt-x', 'gemini-x', 'vendor/model']) {
      expect(await calledBy({ model }, headers)).toMatchObject({ key: 'key-of-this-request' });
    }
    const { refused } = await calledBy({ model: 'vendor/model' });
    expect(refused).toContain('NO_PROVIDER_KEY');
    const keyless = await calledBy({ model: 'gpt-x' });
    expect(keyless.key).toBeUndefined();
    expect(trap!.calls()).toEqual([]);
  });
});
