import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const BODY = { streamId: 'a', prompt: 'x', maxTokens: 1000 };

describe('a server with the simulator', () => {
  const server = useServer({ defaultProvider: 'openai' });

  it('runs every sim- model without a key and marks what it made', async () => {
    verifies('simulator.models', 'simulator.no-key', 'simulator.marked');
    const { key } = await server().createKey();
    for (const model of ['sim-instant', 'sim-fast', 'sim-made-up-name', 'SIM-Instant']) {
      const job = await server().finished(key, await server().submit(key, { model }));
      expect(job).toMatchObject({
        status: 'completed',
        simulated: true,
        provider: 'simulator',
        model,
        output: expect.stringContaining('simulated'),
      });
    }
  });

  it('never lets it stand in for another model', async () => {
    verifies('simulator.never-substituted');
    const { key } = await server().createKey();
    for (const more of [
      { model: 'claude-x' },
      { model: 'simulated-1' },
      { model: 'gpt-x', provider: 'simulator' },
      { model: 'openai:sim-fast' },
      { model: 'vendor/sim-fast' },
    ]) {
      const body = { ...BODY, ...more };
      expectInvalid(await server().call('POST', '/api/v1/execute', { key, body }), 'model');
    }
  });
});

describe('a server without the simulator', () => {
  const server = useServer({ simulator: false, role: 'api' });

  it('refuses simulated models', async () => {
    verifies('simulator.setting');
    const { key } = await server().createKey();
    const body = { ...BODY, model: 'sim-fast' };
    const answer = await server().call('POST', '/api/v1/execute', { key, body });
    const error = expectInvalid(answer, 'model');
    expect(error.details?.[0]?.code).toBe('UNKNOWN_MODEL');
    expect(error.message).toContain('MILLRACE_SIMULATOR');
  });
});

describe('the setting of the simulator', () => {
  const simulator = (env: NodeJS.ProcessEnv) => loadConfig(env).simulator;

  it('is on by default on loopback only', () => {
    verifies('simulator.default');
    expect(simulator({})).toBe(true);
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) {
      expect(simulator({ MILLRACE_HOST: host }), host).toBe(true);
    }
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com', '127.0.0.1.example.com']) {
      expect(simulator({ MILLRACE_HOST: host }), host).toBe(false);
    }
  });

  it('wins over the default', () => {
    verifies('simulator.setting');
    expect(simulator({ MILLRACE_SIMULATOR: 'off' })).toBe(false);
    expect(simulator({ MILLRACE_HOST: '0.0.0.0', MILLRACE_SIMULATOR: 'on' })).toBe(true);
    expect(() => simulator({ MILLRACE_SIMULATOR: 'perhaps' })).toThrow(/MILLRACE_SIMULATOR/);
  });
});
