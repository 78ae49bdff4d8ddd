// Command-line agents with a simulated model: each writes a file with a tool of its own.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { AGENTS, areInstalled, settle, startAgent } from './installed-agents.ts';

const TEXT = 'written by an agent';

describe.skipIf(!areInstalled)('agents', () => {
  const server = useServer({ simulator: true });
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-agents-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

  test.each(Object.entries(AGENTS))(
    '%s works with nothing but an address and a key',
    async (name, agent) => {
      const { key } = await server().createKey({ scopes: ['models', 'jobs'] });
      const setting = { endpoint: `${server().url}/model`, key };
      const where = settle(name, join(folder, agent.command), setting);
      const path = join(where.cwd, 'a.txt');
      const call = agent.writes(path, TEXT);
      const prompt = `Write a file. [[sim:call ${call.name} ${JSON.stringify(call.args)}]] [[sim:echo all done]]`;
      const run = startAgent(agent, prompt, where);
      await run.ended;
      expect(existsSync(path), `${name} said:\n${run.output()}`).toBe(true);
      expect(readFileSync(path, 'utf8')).toBe(TEXT);
      expect(run.output()).toContain('all done');
      const { body } = await server().call('GET', '/api/v1/jobs?limit=100', { key });
      const calls = body['items'] as { kind: string; status: string; model: string }[];
      expect(calls.length).toBeGreaterThanOrEqual(2);
      expect(new Set(calls.map(({ kind, model }) => `${kind} ${model}`))).toEqual(
        new Set(['call sim-fast']),
      );
    },
  );
});
