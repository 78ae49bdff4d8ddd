import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { useServer } from '../support/use-server.ts';

const SAMPLE = fileURLToPath(new URL('../../examples/bookshelf/', import.meta.url));
const server = useServer();
let root = '';
let settings: Record<string, string> = {};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'millrace-example-'));
  cpSync(SAMPLE, root, { recursive: true });
  mkdirSync(join(root, '.old'));
  const old = '#!/bin/sh\necho "an old node" >&2\nexit 9\n';
  writeFileSync(join(root, '.old/node'), old, { mode: 0o755 });
  const { key } = await server().createKey();
  settings = {
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: key,
    XDG_STATE_HOME: join(root, '.state'),
    // The `node` of the user's path is not the one that runs Millrace, and cannot run the example.
    PATH: [join(root, '.old'), process.env['PATH'] ?? ''].join(delimiter),
  };
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const cli = (...args: string[]) => runCli(['-C', root, ...args], settings);

describe('the example', () => {
  it('is valid in both notations, without a warning', async () => {
    const { code, stdout } = await cli(
      'validate',
      '--strict',
      '--json',
      'feature.yaml',
      'workflow.yaml',
    );
    expect(JSON.parse(stdout)).toEqual({ ok: true, problems: [] });
    expect(code).toBe(0);
  });

  it('runs in notation B: six streams in three waves, one of which is mended', async () => {
    const { code, stdout, stderr } = await cli('run', 'feature.yaml', '--yes', '--json');
    expect(code, stderr).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(events.at(-1)).toMatchObject({
      type: 'run.completed',
      totals: { streams: { complete: 6 }, fixes: 1 },
    });
    expect(readFileSync(join(root, 'src/search.ts'), 'utf8')).toContain('toLowerCase');
  });

  it('runs in notation A, and an uncritical failure does not stop it', async () => {
    const { code, stdout, stderr } = await cli('run', 'workflow.yaml', '--yes', '--json');
    expect(code, stderr).toBe(0);
    const last = JSON.parse(stdout.trim().split('\n').at(-1)!) as object;
    expect(last).toMatchObject({ type: 'run.completed', totals: { streams: { complete: 2 } } });
    expect(stdout).toContain('"ok":false');
  });
});
