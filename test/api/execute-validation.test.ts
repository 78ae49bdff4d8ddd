import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

const VALID = { streamId: 'api', prompt: 'hello', model: 'sim-instant', maxTokens: 100 };

async function execute(body: unknown) {
  const { key } = await server().createKey();
  return server().call('POST', '/api/v1/execute', { key, body });
}

const without = (name: keyof typeof VALID) => {
  const { [name]: _, ...rest } = VALID;
  return rest;
};

async function expectRefused(field: string, values: readonly unknown[]): Promise<void> {
  for (const value of values) expectInvalid(await execute({ ...VALID, [field]: value }), field);
}

async function expectTaken(field: string, values: readonly unknown[]): Promise<void> {
  for (const value of values) {
    const answer = await execute({ ...VALID, [field]: value });
    expect(answer.status, `${field} ${JSON.stringify(value)}`).toBe(202);
  }
}

describe('the required fields of execute', () => {
  it('are refused with their own name when they are missing or of another type', async () => {
    verifies(
      'job.execute.stream-id',
      'job.execute.prompt',
      'job.execute.model',
      'job.execute.max-tokens',
      'http.error.validation',
    );
    for (const name of ['streamId', 'prompt', 'model', 'maxTokens'] as const) {
      expectInvalid(await execute(without(name)), name);
      await expectRefused(name, [null, true, [], {}, name === 'maxTokens' ? '100' : 7]);
    }
    expect((await execute(VALID)).status).toBe(202);
  });

  it('say in a sentence what is wrong with them', async () => {
    const messageOf = async (body: unknown) =>
      expectError(await execute(body), 'VALIDATION_ERROR').message;
    expect(await messageOf(without('maxTokens'))).toBe('maxTokens is required');
    expect(await messageOf({ ...VALID, maxTokens: 'many' })).toBe('maxTokens must be a number');
    expect(await messageOf({ ...VALID, maxTokens: 1.5 })).toBe('maxTokens must be a whole number');
    expect(await messageOf({ ...VALID, maxTokens: 0 })).toBe('maxTokens must be at least 1');
    expect(await messageOf({ ...VALID, prompt: '' })).toBe('prompt must not be empty');
    expect(await messageOf([])).toBe('The body must be an object');
    expect(await messageOf({ ...VALID, maxTokens: 0, prompt: '' })).toMatch(/ \(and 1 more\)$/);
  });

  it('are all reported at once, each with path, code and message', async () => {
    verifies('http.error.details');
    const error = expectError(await execute({ maxTokens: 'many' }), 'VALIDATION_ERROR');
    expect(error.details?.map((detail) => detail.path).sort()).toEqual([
      'maxTokens',
      'model',
      'prompt',
      'streamId',
    ]);
    for (const detail of error.details ?? []) {
      expect(Object.keys(detail).sort()).toEqual(['code', 'message', 'path']);
      expect(detail.code).toMatch(/^\w+$/);
      expect(detail.message).toMatch(/\S/);
    }
  });
});

describe('the ranges of execute', () => {
  it('hold maxTokens to whole numbers from 1 to 200000', async () => {
    verifies('job.execute.max-tokens-range');
    await expectRefused('maxTokens', [0, -1, 1.5, 200_001, 1e300]);
    await expectTaken('maxTokens', [1, 200_000]);
  });

  it('hold timeoutMs to 1000 up to 3600000', async () => {
    verifies('job.execute.timeout-range');
    await expectRefused('timeoutMs', [0, 999, 3_600_001, 1500.5, '5000', null]);
    await expectTaken('timeoutMs', [1000, 3_600_000]);
  });

  it('hold streamId to a letter or digit and 127 further characters', async () => {
    verifies('job.execute.stream-id-shape');
    await expectRefused('streamId', ['', '-a', '.a', 'a b', 'a/b', 'ä', 'a\n', 'x'.repeat(129)]);
    await expectTaken('streamId', ['a', '9', 'A.b_c:d-e', 'x'.repeat(128)]);
  });

  it('hold priority to whole numbers from -10 to 10', async () => {
    verifies('job.execute.priority');
    await expectRefused('priority', [-11, 11, 0.5, '1', null]);
    await expectTaken('priority', [-10, 10]);
  });

  it('hold the other optional fields', async () => {
    await expectRefused('temperature', [-0.1, 2.1, '1']);
    await expectTaken('temperature', [0, 2]);
    await expectRefused('reasoning', ['none', 'HIGH', '', 3]);
    await expectTaken('reasoning', ['low', 'high']);
    await expectRefused('waveNumber', [0, 1.5, 100_001, '1']);
    await expectRefused('runId', ['', 'a b', 'x'.repeat(129), 5]);
    await expectRefused('feature', ['', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(201), 5]);
    await expectRefused('streamName', ['', '\u001b[2J', 'x'.repeat(201), {}]);
    await expectRefused('model', ['', 'sim-a\u0000b', 'x'.repeat(201)]);
    await expectRefused('prompt', ['']);
    await expectRefused('structuredPrompt', ['text', 5, []]);
    expectInvalid(
      await execute({ ...VALID, structuredPrompt: { taskContent: 5 } }),
      'structuredPrompt.taskContent',
    );
  });
});

describe('the model of execute', () => {
  it('is refused as UNKNOWN_MODEL when its provider cannot be told', async () => {
    verifies('job.execute.unknown-model');
    const error = expectInvalid(await execute({ ...VALID, model: 'mystery-1' }), 'model');
    expect(error.details?.[0]?.code).toBe('UNKNOWN_MODEL');
    expect(error.message).toContain('provider:model');
  });

  it('is refused as NO_PROVIDER_KEY when nobody has a key for its provider', async () => {
    verifies('job.provider-key.none', 'simulator.never-substituted');
    for (const model of ['claude-x', 'gpt-x', 'gemini-x', 'vendor/x', 'openai:anything']) {
      const error = expectInvalid(await execute({ ...VALID, model }), 'model');
      expect(error.details?.[0]?.code, model).toBe('NO_PROVIDER_KEY');
    }
  });

  it('goes to the provider that the request names, or to nobody', async () => {
    verifies('job.execute.provider');
    await expectTaken('provider', ['simulator', 'sim']);
    await expectRefused('provider', ['', 5, null]);
    const named = await execute({ ...VALID, model: 'house-model', provider: 'openai' });
    expect(expectInvalid(named, 'model').details?.[0]?.code).toBe('NO_PROVIDER_KEY');
    const stranger = await execute({ ...VALID, provider: 'nobody' });
    expect(expectInvalid(stranger, 'model').message).toContain('anthropic, openai');
    // A simulated model is never taken for one of a vendor.
    const other = await execute({ ...VALID, provider: 'anthropic' });
    expect(expectInvalid(other, 'model').details?.[0]?.code).toBe('UNKNOWN_MODEL');
  });
});
