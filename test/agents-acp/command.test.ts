// Agents of a person's machine as the command finds, names, tries and runs them.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { fromRoot } from '../pins/tree.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();
let base: string;
beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-agents-')));
  for (const folder of ['project', 'bin', 'config']) mkdirSync(join(base, folder));
});
afterEach(() => rmSync(base, { recursive: true, force: true, maxRetries: 20 }));

function program(name: string, text: string): string {
  const path = join(base, 'bin', name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** What it does with a task; without one it says its version. */
const shell = (name: string, version: string, task: string) =>
  program(
    name,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "${version} (Some Code)"; exit; fi\ncat >/dev/null\n${task}\n`,
  );

const settings = (text: string) => writeFileSync(join(base, 'config', 'config.yaml'), text);

function manifest(agent: string, model: string): void {
  const stream = { name: 'A', owns: ['src/'], plan: 'Write.', verify: ['cat src/a.txt'] };
  const text = JSON.stringify({ feature: 'f', agent, model, streams: { a: stream } });
  writeFileSync(join(base, 'project', 'millrace.yaml'), text);
}

async function millrace(...args: string[]) {
  const { key } = await server().createKey();
  const path = [join(base, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  return runHere(['-C', join(base, 'project'), ...args], {
    HOME: base,
    PATH: path.join(delimiter),
    MILLRACE_CONFIG_DIR: join(base, 'config'),
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: key,
  });
}

interface Problem {
  code: string;
  message: string;
  hint: string;
}
const errorIn = ({ stdout }: { stdout: string }) =>
  (JSON.parse(stdout) as { error: Problem }).error;

describe('millrace run with agents that cannot work', () => {
  it.each([
    ['nobody', 'sim-instant', 'AGENT_UNKNOWN', 'answer, loop, claude, codex, gemini, opencode'],
    ['claude', 'sim-instant', 'AGENT_MISSING', 'npm install -g @anthropic-ai/claude-code'],
    ['codex', 'claude-opus-5-5', 'AGENT_MODEL', 'Choose a model of OpenAI'],
  ])('refuses %s with %s: %s, which a plan warns of', async (agent, model, code, hint) => {
    shell('codex', '0.169.0', 'true');
    manifest(agent, model);
    const ran = await millrace('run', '--yes', '--json');
    expect(ran.code).toBe(EXIT.usage);
    expect(errorIn(ran)).toMatchObject({ code, hint: expect.stringContaining(hint) });
    for (const command of ['plan', 'validate']) {
      const { stdout } = await millrace(command, '--json');
      const { warnings, problems } = JSON.parse(stdout) as Record<string, Problem[] | undefined>;
      expect(warnings ?? problems).toEqual(
        expect.arrayContaining([expect.objectContaining({ code, severity: 'warning' })]),
      );
    }
  });

  it.each([
    ['mine: {protocol: acp}', 'mine.command'],
    ['mine: {command: [x], protocol: headless}', '"headless" is for claude'],
    ['claude: {protocol: stdin}', 'needs a command'],
    ['opencode: {auth: own}', 'is only for claude, codex, gemini'],
    ['gemini: {auth: own}', 'needs "protocol: headless"'],
    ['answer: {command: [x], protocol: acp}', 'is the name of an agent of Millrace itself'],
  ])('refuses settings that make no sense: %s', async (text, message) => {
    settings(`agents:\n  ${text}\n`);
    const { code, stderr } = await millrace('agents', 'list');
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(message);
  });
});

describe('millrace agents', () => {
  it('lists what is installed, with the version that it prints', async () => {
    const file = shell('claude', '2.0.1', 'true');
    settings('agents:\n  mine: {command: [nowhere], protocol: acp}\n');
    const { items } = JSON.parse((await millrace('agents', 'list', '--json')).stdout) as {
      items: { name: string; version: string; program: string; note: string }[];
    };
    expect(items.map(({ name }) => name)).toEqual([
      'answer',
      'loop',
      'claude',
      'codex',
      'gemini',
      'opencode',
      'mine',
    ]);
    expect(items[2]).toEqual({
      name: 'claude',
      installed: true,
      version: '2.0.1',
      protocol: 'headless',
      program: file,
      auth: null,
      from: 'built in',
      note: expect.stringContaining('has version 2.0.1. Millrace was tested with'),
    });
    expect(items[6]).toMatchObject({ installed: false, from: join(base, 'config', 'config.yaml') });
  });

  it('does not guess what an unknown agent would be asked to do', async () => {
    settings(`agents:\n  mine: {command: [${shell('mine', '1', 'true')}], protocol: stdin}\n`);
    const { code, stderr } = await millrace('agents', 'test', 'mine');
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('--model');
  });

  it.skipIf(NO_SANDBOX !== undefined)('tests one, and says what happened', async () => {
    const said = `echo '{"type":"result","subtype":"success","result":"Sorry."}'`;
    shell('claude', '2.1.327', 'echo hello >hello.txt');
    const passed = await millrace('agents', 'test', 'claude', '--json');
    expect(passed.code, passed.stderr).toBe(EXIT.ok);
    expect(JSON.parse(passed.stdout)).toMatchObject({ ok: true, version: '2.1.327', error: null });
    shell('claude', '2.1.327', said);
    const failed = await millrace('agents', 'test', 'claude');
    expect(failed.code).toBe(EXIT.failed);
    expect(failed.stderr).toContain('changed nothing. Its last words: Sorry.');
  });
});

describe.skipIf(NO_SANDBOX !== undefined)('an agent of the person that speaks ACP', () => {
  it('works on a stream in the sandbox, within what the stream owns', async () => {
    const script = readFileSync(fromRoot('test/agents-acp/scripted-agent.mjs'), 'utf8');
    const file = program('agent.mjs', `#!/usr/bin/env node\n${script}`);
    settings(`agents:\n  mine: {command: [${file}, works], protocol: acp}\n`);
    mkdirSync(join(base, 'project', 'src'));
    writeFileSync(join(base, 'project', 'src', 'b.txt'), 'b\n');
    manifest('mine', 'sim-instant');
    const ran = await millrace('run', '--yes', '--json', '--max-attempts', '1');
    expect(ran.code, ran.stdout + ran.stderr).toBe(EXIT.ok);
    expect(readFileSync(join(base, 'project', 'src', 'a.txt'), 'utf8')).toBe('ok\n');
    expect(ran.stdout).toContain('"what":"permission","subject":"b.txt"');
    expect(ran.stdout).toContain('"name":"edit","argument":"Edit src/a.txt"');
  });
});
