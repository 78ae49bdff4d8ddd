// The pages of the documentation, done from top to bottom on a real server.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { newPerson } from '../accounts/people.ts';
import { fromRoot } from '../pins/tree.ts';
import { sharedServer } from '../dashboard/shared-server.ts';
import { freshKey } from '../providers/vendor-jobs.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import type { Receiver } from '../webhooks/receiver.ts';
import { codeBlocksOf } from './code-blocks.ts';
import { walkThrough } from './walk.ts';

const blocksOf = (file: string) => codeBlocksOf(file, readFileSync(fromRoot(file), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'millrace-guide-'));
let receiver: Receiver | undefined;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Somebody with a small project, an account, and the keys that the pages speak of. */
async function newReader() {
  const { server } = await sharedServer();
  const person = await newPerson(server);
  const { key } = await server.createKey({ email: person.email, scopes: [...SCOPES] });
  const home = mkdtempSync(join(folder, 'home-'));
  const project = join(home, 'project');
  const files = {
    'package.json': '{"name":"theme","type":"module"}\n',
    'key.txt': `${freshKey()}\n`,
    'anthropic.json': readFileSync(fromRoot('src/domain/model/facts/anthropic.json'), 'utf8'),
    'feature.yaml':
      'feature: themes\nmodel: sim-fast\nstreams:\n  api:\n    name: Colours\n    plan: Add a dark theme.\n    owns: [src/theme.ts]\n',
    'src/theme.ts': "export const theme = 'light';\n",
    'src/server.ts': 'export const port = 80;\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(project, name, '..'), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const known = {
    MILLRACE_URL: server.url,
    MILLRACE_API_KEY: key,
    ANTHROPIC_API_KEY: freshKey(),
    HOOKS: receiver!.url,
    'team_01...': person.teamId,
  };
  const stored = await server.call('POST', '/api/v1/keys', {
    key,
    body: { provider: 'anthropic', key: freshKey(), tosAccepted: true },
  });
  expect(stored, JSON.stringify(stored.body)).toMatchObject({ status: 201 });
  return {
    server,
    project,
    known,
    env: { ...known, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home },
  };
}

it.each([
  ['README.md', 12],
  ['docs/quickstart.md', 7],
  ['docs/api-guide.md', 9],
  ['docs/executions.md', 5],
  ['docs/teams.md', 4],
  ['docs/usage.md', 5],
  ['docs/webhooks.md', 3],
  ['docs/running.md', 4],
  ['docs/manifests.md', 4],
  ['docs/providers.md', 3],
  ['docs/assistants.md', 1],
])('%s can be followed as it is', async (file, least) => {
  const reader = await newReader();
  // Whoever reads about budgets has a team.
  if (file === 'docs/usage.md') {
    await walkThrough(reader, blocksOf('docs/teams.md').slice(0, 1));
  }
  const done = await walkThrough(reader, blocksOf(file));
  expect(done.length, done.join('\n')).toBeGreaterThanOrEqual(least);
});

it('the programs of the API guide end without an error', async () => {
  const { server } = await sharedServer();
  const { key } = await server.createKey({ scopes: [...SCOPES] });
  const client = pathToFileURL(fromRoot('src/client/index.ts')).href;
  vi.stubEnv('MILLRACE_URL', server.url);
  vi.stubEnv('MILLRACE_API_KEY', key);
  const said: unknown[] = [];
  const quiet = [
    vi.spyOn(console, 'log').mockImplementation((...words) => void said.push(...words)),
    vi.spyOn(console, 'error').mockImplementation((...words) => void said.push(...words)),
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(text) > 0),
  ];
  try {
    for (const [index, { text }] of blocksOf('docs/api-guide.md')
      .filter((one) => one.language === 'ts')
      .entries()) {
      const file = join(folder, `program-${index}.ts`);
      const here = text.replaceAll("'millrace/client'", `'${client}'`);
      writeFileSync(file, here.replaceAll('http://127.0.0.1:4747', server.url));
      await import(pathToFileURL(file).href);
    }
  } finally {
    for (const spy of quiet) spy.mockRestore();
    vi.unstubAllEnvs();
  }
  expect(said.filter((word) => typeof word === 'string' && word.startsWith('job_'))).toHaveLength(
    1,
  );
  expect(said).toContain('It is about mills.');
  expect(said).toContain('NOT_FOUND');
});
