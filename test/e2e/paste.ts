// Commands as people paste them: into a shell, with the launcher of a checkout, in a home of their own.
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../../src/cli/program.ts';
import { shellCommands } from '../docs/shell-commands.ts';
import { fromRoot } from '../pins/tree.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import type { CliResult } from '../support/cli.ts';

export interface Desk {
  /** The home; a folder with a space in its name. */
  base: string;
  settings: Record<string, string>;
  /** The launcher of the checkout, with the bundle of the tests behind it. */
  launcher: string;
  paste(line: string, options?: { env?: Record<string, string>; cwd?: string }): Promise<CliResult>;
  remove(): Promise<void>;
}

export async function newDesk(): Promise<Desk> {
  const base = await mkdtemp(join(tmpdir(), 'millrace paste-'));
  // As root the database runs as another user, who must be able to reach it here.
  await chmod(base, 0o755);
  const bin = join(base, 'bin');
  await mkdir(bin);
  const launcher = join(bin, 'millrace');
  await writeFile(launcher, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
    mode: 0o755,
  });
  const settings = {
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_STATE_HOME: join(base, 'state'),
    XDG_DATA_HOME: join(base, 'usual'),
    HOME: base,
  };
  return {
    base,
    settings,
    launcher,
    paste(line, { env = {}, cwd = base } = {}) {
      const path = `${bin}:${process.env['PATH'] ?? ''}`;
      const child = spawn('sh', ['-c', line], {
        cwd,
        env: cleanEnv({ ...settings, PATH: path, ...env }),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const result: CliResult = { code: null, stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text));
      return new Promise((resolve) => child.on('close', (code) => resolve({ ...result, code })));
    },
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

export const quoted = (word: string) => `'${word}'`;

/** Throws unless the command exists and takes its flags. */
export async function checkParsed(line: string): Promise<void> {
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
export const NOT_STARTED =
  /\b(?:serve|login|watch|demo|keys add|init|runner|webhooks listen|review-in web)\b/;

const MISUSED =
  /unknown (?:option|command)|missing required|too many arguments|not signed in|no team/i;
/** It did not find the server of this folder. */
const ELSEWHERE = /Starting a server|Could not reach/;

/** What is wrong with a command that was suggested, after it was pasted. */
export async function problemsOf(desk: Desk, line: string, cwd?: string): Promise<string[]> {
  try {
    await checkParsed(line);
  } catch (error) {
    return [`${line}: ${String(error)}`];
  }
  if (NOT_STARTED.test(line)) return [];
  const pasted = await desk.paste(
    line.replaceAll(fromRoot('millrace'), quoted(desk.launcher)),
    cwd === undefined ? {} : { cwd },
  );
  const text = pasted.stdout + pasted.stderr;
  return MISUSED.test(text) || ELSEWHERE.test(text) ? [`${line}: ${text}`] : [];
}
