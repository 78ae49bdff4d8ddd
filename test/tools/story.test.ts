// The whole story, as a user lives it: a project whose tests fail, an assistant that asks Millrace for
// the change, a look at it, the files written, the tests green, and everything back as it was.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import type { ExecuteOutput } from '../../src/tools/tool-schemas.ts';
import { artifactOf, planOf, replyOf } from '../executions/execution.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { pictureOf } from '../support/folder-picture.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { callTool, newFolder } from './assistant.ts';

const server = useServer({ defaultModel: 'sim-instant' });
const place = newFolder();
const { root } = place;
afterAll(() => place.remove());

const FILES: Record<string, string> = {
  'package.json': '{ "name": "sums", "type": "module" }\n',
  'src/sum.js': 'export function sum(a, b) {\r\n  return a - b;\r\n}\r\n',
  'src/old.js': 'export const old = true;\n',
  'test/sums.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync } from 'node:fs';
import { sum } from '../src/sum.js';

test('sums', () => assert.equal(sum(2, 3), 5));
test('products', async () => {
  const { product } = await import('../src/product.js');
  assert.equal(product(2, 3), 6);
});
test('tidy', () => assert.equal(existsSync(new URL('../src/old.js', import.meta.url)), false));
`,
  'run.sh': '#!/bin/sh\nnode --test\n',
};

const TASK = [
  'Fix sum, add product, remove what is old.',
  planOf({
    sum: 'owns: [src/sum.js]\nplan: Fix it',
    product: 'owns: [src/product.js, src/old.js]\nplan: Add it\ndeps: [sum]',
  }),
  replyOf(
    'sum',
    artifactOf([
      { type: 'edit', path: 'src/sum.js', edits: [{ oldText: 'a - b', newText: 'a + b' }] },
    ]),
  ),
  replyOf(
    'product',
    artifactOf([
      {
        type: 'create',
        path: 'src/product.js',
        content: 'export const product = (a, b) => a * b;\n',
      },
      { type: 'delete', path: 'src/old.js' },
    ]),
  ),
].join('\n');

function projectTests(): { failed: number; passed: number } {
  const { PATH } = process.env;
  const args = ['--test', '--test-reporter=tap'];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { PATH },
    encoding: 'utf8',
  });
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1]);
  return { failed: count('fail'), passed: count('pass') };
}

it('a task becomes a change that is looked at, applied, tested and reverted', async () => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  chmodSync(join(root, 'run.sh'), 0o755);
  chmodSync(join(root, 'src/sum.js'), 0o640);
  chmodSync(join(root, 'src/old.js'), 0o755);
  const before = pictureOf(root);
  expect(projectTests()).toEqual({ failed: 3, passed: 0 });

  const { key } = await server().createKey();
  const env = {
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: key,
    MILLRACE_STATE_DIR: join(place.folder, 'state'),
    MILLRACE_CONFIG_DIR: join(place.folder, 'config'),
  };
  const client = new Client({ name: 'story', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp'],
      // The assistant starts it in the project, and says nothing of it.
      cwd: root,
      env: cleanEnv(env) as Record<string, string>,
      stderr: 'pipe',
    }),
  );
  const told: string[] = [];
  const onprogress = ({ message = '' }: { message?: string | undefined }) => told.push(message);
  const input = { task: TASK, files: ['src', 'test/*.js', 'package.json'] };
  const { output } = await callTool<ExecuteOutput>(client, 'execute', input, {
    onprogress,
    timeout: PATIENCE_MS,
  });
  await client.close();
  const { executionId: id } = output;
  expect(output).toMatchObject({
    status: 'success',
    result: {
      applied: 'none',
      artifacts: [
        { operations: [{ path: 'src/sum.js' }] },
        { operations: [{ path: 'src/product.js' }, { path: 'src/old.js' }] },
      ],
      applyCommand: expect.stringContaining(`apply ${id}`),
    },
  });
  // It may be over before there is anything to tell.
  for (const message of told)
    expect(message).toMatch(/^(planning|step \d of 2: .+|waiting .+) \(\d+s\)$/);
  expect(pictureOf(root)).toEqual(before);

  const millrace = (...args: string[]) => runHere(['-C', root, ...args], env);
  const diff = await millrace('diff', id);
  expect(diff).toMatchObject({ code: 0 });
  expect(diff.stdout).toContain('-  return a - b;');
  expect(diff.stdout).toContain('+  return a + b;');
  expect(diff.stdout).toContain('+export const product = (a, b) => a * b;');
  expect(pictureOf(root)).toEqual(before);

  expect(await millrace('apply', id)).toMatchObject({ code: 0 });
  expect(projectTests()).toEqual({ failed: 0, passed: 3 });
  expect(await millrace('revert', id)).toMatchObject({ code: 0 });
  expect(pictureOf(root)).toEqual(before);
  expect(projectTests()).toEqual({ failed: 3, passed: 0 });
});
