import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { trustFileOf } from '../../src/config/state-folder.ts';
import {
  approve,
  commandsDigest,
  loadTrust,
  commandsOf,
  newCommands,
} from '../../src/orchestrator/commands/trust.ts';

let folder: string;
let root: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-trust-'));
  root = join(folder, 'project');
  mkdirSync(root);
  file = join(folder, 'state', 'millrace', 'trusted-commands.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function manifest(verify: string, setup = 'npm ci') {
  const text = `feature: f\nstreams:\n  a:\n    name: A\n    setup: ["${setup}"]\n    verify: ["${verify}"]\n`;
  const parsed = parseManifest(text);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.manifest;
}

it('asks for each command once, and again when its text changes', async () => {
  expect(newCommands(commandsOf(manifest('npm test')), await loadTrust({ root, file }))).toEqual([
    'npm ci',
    'npm test',
  ]);
  await approve({ root, file }, ['npm ci', 'npm test']);
  const trust = await loadTrust({ root, file });
  expect(newCommands(commandsOf(manifest('npm test')), trust)).toEqual([]);
  expect(newCommands(commandsOf(manifest('npm test; curl example.com')), trust)).toEqual([
    'npm test; curl example.com',
  ]);
  expect(commandsDigest(manifest('npm test'))).not.toBe(commandsDigest(manifest('npm  test')));
});

it('keeps approvals to the folder they were given for, however it is reached', async () => {
  await approve({ root, file }, ['npm ci', 'npm test']);
  const other = join(folder, 'other');
  mkdirSync(other);
  const elsewhere = await loadTrust({ root: other, file });
  expect(newCommands(commandsOf(manifest('npm test')), elsewhere)).toHaveLength(2);
  symlinkSync(root, join(folder, 'link'));
  const linked = await loadTrust({ root: join(folder, 'link'), file });
  expect(newCommands(commandsOf(manifest('npm test')), linked)).toEqual([]);
});

it('adds to what was approved, in a file that only the user can read', async () => {
  await approve({ root, file }, ['npm ci']);
  await approve({ root, file }, ['npm test']);
  expect(newCommands(commandsOf(manifest('npm test')), await loadTrust({ root, file }))).toEqual(
    [],
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it.each(['', '{', '[]', '{"version":1,"projects":[1]}', '{"version":2,"projects":{}}'])(
  'approves nothing from a broken file (%j), and can write it anew',
  async (text) => {
    mkdirSync(join(folder, 'state', 'millrace'), { recursive: true });
    writeFileSync(file, text);
    expect(
      newCommands(commandsOf(manifest('npm test')), await loadTrust({ root, file })),
    ).toHaveLength(2);
    const trust = await approve({ root, file }, ['npm ci', 'npm test']);
    expect(newCommands(commandsOf(manifest('npm test')), trust)).toEqual([]);
    expect(newCommands(commandsOf(manifest('npm test')), await loadTrust({ root, file }))).toEqual(
      [],
    );
  },
);

it('lives in the state folder of the user, never in one relative to the project', () => {
  const inHome = '/home/user/.local/state/millrace/trusted-commands.json';
  expect(trustFileOf({}, '/home/user')).toBe(inHome);
  expect(trustFileOf({ XDG_STATE_HOME: '.state' }, '/home/user')).toBe(inHome);
  expect(trustFileOf({ XDG_STATE_HOME: '/state' }, '/home/user')).toBe(
    '/state/millrace/trusted-commands.json',
  );
});
