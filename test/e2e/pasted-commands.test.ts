// Every command that a command suggests is pasted into a shell as it was printed: it exists, takes its flags,
// and acts where the first one did.
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { fromRoot } from '../pins/tree.ts';
import { MAIN, cleanEnv, startServe } from '../support/cli.ts';
import type { CliResult, ServeProcess } from '../support/cli.ts';
import { shellCommands } from '../docs/shell-commands.ts';
import { manifestOf } from '../terminal/run-project.ts';

let base: string;
let server: ServeProcess;
let settings: Record<string, string>;
/** What every command of this test says about the place, which is none of the usual ones. */
let place: string[];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'millrace paste-'));
  // As root the database runs as another user, who must be able to reach it here.
  await chmod(base, 0o755);
  for (const name of ['project', 'empty', 'new', 'bin']) await mkdir(join(base, name));
  // The launcher of the checkout, as a person has it, with the bundle of the tests behind it.
  const launcher = join(base, 'bin', 'millrace');
  await writeFile(launcher, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
    mode: 0o755,
  });
  settings = {
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_STATE_HOME: join(base, 'state'),
    XDG_DATA_HOME: join(base, 'usual'),
    HOME: base,
  };
  const dataDir = join(base, 'the data');
  place = ['-C', join(base, 'project'), '--data-dir', dataDir];
  server = await startServe(['--port', '0', '--data-dir', dataDir], settings);
  const streams = [
    { id: 'good' },
    { id: 'bad', verify: ['false'] },
    { id: 'later', deps: ['bad'] },
  ];
  await writeFile(join(base, 'project', 'my plan.yaml'), manifestOf(streams, ''));
  await writeFile(join(base, 'project', 'good.yaml'), manifestOf([{ id: 'good' }]));
});
afterAll(async () => {
  await server?.kill('SIGTERM');
  await rm(base, { recursive: true, force: true });
});

/** As a person types it: with a shell, in a folder that is not the project. */
function paste(line: string, env: Record<string, string> = {}): Promise<CliResult> {
  const child = spawn('sh', ['-c', line], {
    cwd: base,
    env: cleanEnv({ ...settings, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const result: CliResult = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...result, code })));
}

const quoted = (word: string) => `'${word}'`;

/** The commands in a text: the launcher of the checkout, up to the end of the sentence. */
function suggestionsIn(text: string): string[] {
  const launcher = fromRoot('millrace');
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf(launcher);
    if (at === -1) return [];
    const rest = line.slice(at).replace(/ {2,}#.*$/, '');
    const end = /[;"`)]|,? or (?:wait|set)|, or | to try again|\. /.exec(rest);
    return [
      rest
        .slice(0, end?.index ?? rest.length)
        .replace(/[.,]$/, '')
        .trim(),
    ];
  });
}

async function isParsed(line: string): Promise<void> {
  const [[, ...words] = []] = shellCommands(line);
  const program = await createProgram(() => async () => {});
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // Help ends this way.
    if ((error as { exitCode?: number }).exitCode !== 0) throw error;
  }
}

/** They wait for a person, or never end: what they take is checked, and they are not started. */
const NOT_STARTED = /\b(?:serve|login|watch|demo|keys add|init)\b/;

const CALLS: readonly (readonly string[])[] = [
  ['status'],
  ['runs'],
  ['run', 'good.yaml', '--yes'],
  ['run', 'good.yaml', '--yes'],
  [
    'run',
    'my plan.yaml',
    '--yes',
    '--model',
    'sim-instant',
    '--max-attempts',
    '1',
    '--skip',
    'later',
  ],
  ['status'],
  ['explain'],
  ['watch'],
  ['stop'],
  ['run', 'my plan.yaml', '--model', 'gtp-5'],
  ['run', 'my plan.yaml', '--yes', '--apply', 'never', '--model', 'sim-instant', '--from', 'good'],
  ['diff'],
  ['apply'],
  ['revert'],
  ['keys', 'list'],
  ['webhooks', 'list'],
  ['exec', 'list'],
  ['exec', 'Add a page', '--wait', '--model', 'sim-instant'],
  ['exec', 'Add another page', '--wait', '--model', 'sim-instant'],
  ['exec', 'list', '--limit', '1'],
  ['exec', 'get', 'exec_000'],
  ['history', 'run_000'],
  ['--team', 'nope', 'usage'],
  ['team', 'create', 'Birds'],
  ['models'],
  ['job', 'run', '--model', 'gpt-5', '--prompt', 'x'],
  ['api-keys', 'create', '--tier', 'trial'],
  ['api-keys', 'revoke', 'key_000'],
  ['admin', 'users', '--limit', '1'],
  ['doctor'],
  ['plan', 'missing.yaml'],
  ['help', 'nonsense'],
];

it('what is suggested can be pasted, and acts where the first command did', async () => {
  const launcher = fromRoot('millrace');
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const call of CALLS) {
    const { stdout, stderr } = await paste(
      [quoted(join(base, 'bin', 'millrace')), ...[...place, ...call].map(quoted)].join(' '),
    );
    for (const line of suggestionsIn(`${stdout}\n${stderr}`)) {
      if (seen.has(line)) continue;
      seen.add(line);
      if (!line.includes(`--data-dir '${join(base, 'the data')}'`))
        wrong.push(`${line}: no --data-dir`);
      if (
        !line.includes(`-C ${join(base, 'project')}`) &&
        !line.includes(`-C '${join(base, 'project')}'`)
      ) {
        wrong.push(`${line}: no -C`);
      }
      await isParsed(line).catch((error: unknown) => wrong.push(`${line}: ${String(error)}`));
      if (NOT_STARTED.test(line)) continue;
      const pasted = await paste(line.replace(launcher, quoted(join(base, 'bin', 'millrace'))));
      const text = pasted.stdout + pasted.stderr;
      if (
        /unknown (?:option|command)|missing required|too many arguments|not signed in|no team/i.test(
          text,
        )
      ) {
        wrong.push(`${line}: ${text}`);
      }
      // It found the server of this folder.
      if (/Starting a server|Could not reach/.test(text)) wrong.push(`${line}: ${text}`);
    }
  }
  expect(wrong).toEqual([]);
  const all = [...seen].join('\n');
  expect(seen.size).toBeGreaterThan(25);
  // The run is resumed as it was started, from any command that says so.
  const resumed = [...seen].filter((line) => / run 'my plan\.yaml'/.test(line));
  expect(resumed.length).toBeGreaterThan(0);
  for (const line of resumed) expect(line, all).toContain('--model sim-instant');
}, 1_200_000);
