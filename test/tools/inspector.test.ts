// The official inspector against the tools. It is large and not among our dependencies: install
// @modelcontextprotocol/inspector anywhere, and name its launcher in MILLRACE_INSPECTOR to run this.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { startNode } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { newFolder } from './assistant.ts';

const INSPECTOR = process.env['MILLRACE_INSPECTOR'];
const TOOL_ERROR = 5;

describe.runIf(INSPECTOR).each(['legacy', 'modern'])('the inspector (%s)', (era) => {
  const server = useServer({ defaultModel: 'sim-instant' });
  let place: ReturnType<typeof newFolder>;
  let settings: string[];
  beforeAll(async () => {
    place = newFolder();
    const { key } = await server().createKey();
    const env = {
      MILLRACE_URL: server().url,
      MILLRACE_API_KEY: key,
      MILLRACE_WORKSPACE: place.root,
      MILLRACE_STATE_DIR: `${place.folder}/state`,
      MILLRACE_CONFIG_DIR: `${place.folder}/config`,
    };
    settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  });
  afterAll(() => place.remove());

  async function inspect(...args: string[]): Promise<{ code: number | null; output: string }> {
    const target = [process.execPath, MAIN, 'mcp'];
    const all = ['--cli', '--protocol-era', era, ...settings, ...args, '--', ...target];
    const ran = startNode(INSPECTOR!, all, { env: cleanEnv({}) });
    const code = await ran.ended;
    return { code, output: ran.output() };
  }

  it('lists the tools and finds nothing wrong with their schemas', async () => {
    const listed = await inspect('--method', 'tools/list', '--strict');
    expect(listed.output).toContain('millrace_execute');
    expect(listed.output).not.toMatch(/^(Error|Warning): tool/m);
    expect(listed.code).toBe(0);
  });

  it('calls them, and tells a failure from a success', async () => {
    const call = (name: string, input: object) =>
      inspect(
        '--method',
        'tools/call',
        '--tool-name',
        name,
        '--tool-args-json',
        JSON.stringify(input),
      );
    const done = await call('millrace_execute', { task: 'Add a file' });
    expect(done.output).toMatch(/"status": ?"success"/);
    expect(done.code).toBe(0);
    const failed = await call('millrace_execute', { task: '[[sim:auth]]' });
    expect(failed.code).toBe(TOOL_ERROR);
    const wrong = await call('millrace_status', { executionId: 'none' });
    expect(wrong).toMatchObject({ code: TOOL_ERROR, output: expect.stringContaining('NOT_FOUND') });
    expect((await call('no_such_tool', {})).code).not.toBe(0);
  });
});
