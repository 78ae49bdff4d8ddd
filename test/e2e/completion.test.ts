// The scripts are sourced in the shells themselves; zsh and fish where they are installed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-completion-'));
  // The command of this name, for what a shell asks it while somebody types.
  const script = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  writeFileSync(join(folder, 'millrace'), script, { mode: 0o755 });
  writeFileSync(
    join(folder, 'millrace.yaml'),
    'feature: f\nstreams:\n  api:\n    name: Api\n  web:\n    name: Web\n',
  );
  const path = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
  env = cleanEnv({ PATH: path, XDG_STATE_HOME: join(folder, 'state') });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function has(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function scriptOf(shell: string): Promise<string> {
  const { code, stdout } = await runHere(['completion', shell], {});
  expect(code).toBe(0);
  return stdout;
}

/** What bash offers for each of these lines, the last word being typed. */
async function inBash(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const calls = lines.map((words) => {
    const all = ['millrace', ...words].map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${all}); COMP_CWORD=${words.length}; _millrace; echo "\${COMPREPLY[*]}"`;
  });
  const text = `${await scriptOf('bash')}\n${calls.join('\n')}\n`;
  const out = execFileSync('bash', ['--norc', '-u', '-s'], { input: text, env, cwd: folder });
  return out
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

function everyCommand(command: Command, path: string[] = []): { path: string[]; of: Command }[] {
  const below = command.createHelp().visibleCommands(command);
  return below.flatMap((each) => {
    const here = [...path, each.name()];
    return [{ path: here, of: each }, ...everyCommand(each, here)];
  });
}

describe('completion in bash', () => {
  it('offers every command and every flag there is', async () => {
    const program = await createProgram(() => async () => {});
    const commands = everyCommand(program);
    expect(commands.length).toBeGreaterThan(30);
    const offered = await inBash(commands.map(({ path }) => path));
    expect(
      offered.map((words, at) => [commands[at]!.path, words.includes(commands[at]!.path.at(-1)!)]),
    ).toEqual(commands.map(({ path }) => [path, true]));
    const flags = await inBash(commands.map(({ path }) => [...path, '--']));
    for (const [at, { path, of }] of commands.entries()) {
      const options = of.createHelp().visibleOptions(of);
      const long = options.flatMap((option) => option.long ?? []);
      expect(flags[at], path.join(' ')).toEqual(expect.arrayContaining([...long, '--json']));
    }
  });

  it('offers choices, files, folders, and the streams of the manifest', async () => {
    const [progress, template, shells, providers, streams, after, hidden, files] = await inBash([
      ['run', '--progress', ''],
      ['--json', '-C', '.', 'init', '--template', 'f'],
      ['completion', ''],
      ['keys', 'add', 'o'],
      ['run', '--only', 'a'],
      // The value of a flag is not the name of a command.
      ['--profile', 'run', 'exe'],
      ['__'],
      ['validate', 'millrace.y'],
    ]);
    expect(progress).toEqual(['auto', 'tty', 'plain', 'json', 'quiet']);
    expect(template).toEqual(['feature']);
    expect(shells).toEqual(['bash', 'zsh', 'fish']);
    expect(providers).toEqual(['openai', 'openrouter']);
    expect(streams).toEqual(['api']);
    expect(after).toEqual(['exec']);
    expect(hidden).toEqual([]);
    expect(files).toEqual(['millrace.yaml']);
  });
});

describe('completion in other shells', () => {
  it.runIf(has('zsh'))('is valid for zsh', async () => {
    const file = join(folder, '_millrace');
    writeFileSync(file, await scriptOf('zsh'));
    execFileSync('zsh', ['-n', '-f', file], { env });
  });

  it.runIf(has('fish'))('offers commands and flags in fish', async () => {
    const asks = [
      'millrace exe',
      'millrace exec l',
      'millrace exec list --st',
      'millrace init --template f',
    ];
    const text = asks.map((line) => `complete -C '${line}'`).join('\n');
    const input = `${await scriptOf('fish')}\n${text}\n`;
    const out = execFileSync('fish', ['--no-config'], { input, env, cwd: folder }).toString('utf8');
    const words = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0]);
    expect(words).toEqual(['exec', 'list', '--status', 'feature']);
  });

  it('refuses a shell that it does not know, with 2', async () => {
    const { code, stderr } = await runHere(['completion', 'tcsh'], {});
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
