// Every command of ours that a document shows is run as it is printed, on one machine and in the order of the pages.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { shellCommands } from '../docs/shell-commands.ts';
import { filesUnder, fromRoot } from '../pins/tree.ts';
import { startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { manifestOf } from '../terminal/run-project.ts';
import { newDesk, quoted } from './paste.ts';
import type { Desk } from './paste.ts';

/** Read first, by those who begin. */
const PAGES = ['README.md', 'docs/quickstart.md'];
const NOBODY = 'http://127.0.0.1:1';

let desk: Desk;
let server: ServeProcess;
/** Hears of webhooks. */
let receiver: Server;
let project: string;
let pages: string[];
beforeAll(async () => {
  pages = [...PAGES, ...filesUnder('docs', '.md').filter((file) => !PAGES.includes(file))];
  desk = await newDesk();
  project = join(desk.base, 'my-project');
  await mkdir(join(project, 'src'), { recursive: true });
  await mkdir(join(desk.base, 'backups'));
  await writeFile(join(project, 'src/server.ts'), 'export const server = 1;\n');
  await writeFile(join(project, 'src/theme.ts'), 'export const theme = 1;\n');
  await writeFile(join(project, 'feature.yaml'), manifestOf([{ id: 'api' }]));
  await writeFile(join(project, 'tasks.md'), '- [ ] T001 Serve two in src/server.ts\n');
  await writeFile(join(project, 'key.txt'), 'sk-proj-0000000000000000000000abcd\n');
  await copyFile(
    fromRoot('src/domain/model/facts/anthropic.json'),
    join(project, 'anthropic.json'),
  );
  // No vendor can be reached, and none may be asked.
  receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  server = await startServe(['--port', '0'], {
    ...desk.settings,
    MILLRACE_ANTHROPIC_BASE_URL: NOBODY,
    MILLRACE_OPENAI_BASE_URL: NOBODY,
    MILLRACE_ALLOW_PRIVATE_TARGETS: 'on',
  });
});
afterAll(async () => {
  await server?.kill('SIGTERM');
  receiver?.close();
  await desk?.remove();
});

/** Why a command is not run here, or what else than success it has to end with. */
const OTHERWISE: readonly (readonly [command: RegExp, why: string, exit?: number])[] = [
  [/^serve/, 'it stays, and one is running'],
  [/^demo/, 'it stays until it is stopped'],
  [/^webhooks listen/, 'it stays until it is stopped'],
  [/^keys add anthropic/, 'it asks for the key in a terminal'],
  [/https:\/\/millrace\.example\.com/, 'that server is made up'],
  [/^restore/, 'not into the folder of a server that is running', 1],
  [/claude-opus-5-5/, 'there is no key for it', 2],
  [/^mcp install/, 'it asks whether it may write, in a terminal', 2],
  [/^approvals \S+ apr_01/, 'no run has asked anything', 1],
  [/^run --git branch/, 'the project is no repository', 2],
  [/^(?:pr\b|revert .* --delete-branch)/, 'no run has worked on a branch', 2],
  [/^keys test anthropic/, 'there is no such key', 1],
];

it('does what the page says', async () => {
  const call = (line: string) => desk.paste(line, { cwd: project });
  const idOf = async (line: string) => (await call(line)).stdout.trim().split('\n').at(-1)!;
  const model = '--model sim-instant';
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const ids: Record<string, string> = {
    'exec start exec_01...': await idOf(`millrace exec 'Say hello' --dry-run --json ${model}`).then(
      (text) => (JSON.parse(text) as { id: string }).id,
    ),
    'exec_01...': await idOf(`millrace exec 'Say hello' --detach ${model}`),
    'wh_01...': await idOf(`millrace webhooks add ${hook} --json`).then(
      (text) => (JSON.parse(text) as { id: string }).id,
    ),
    $JOB_ID: await idOf(`millrace job run --detach ${model} --prompt 'Say hello'`),
  };
  const filledIn = (line: string) => {
    const start = line.replace(
      'exec start exec_01...',
      `exec start ${ids['exec start exec_01...']}`,
    );
    const known = ['exec_01...', 'wh_01...', '$JOB_ID'].reduce(
      (text, name) => text.replaceAll(name, ids[name]!),
      start,
    );
    return known.replaceAll('/backups/', `${quoted(desk.base)}/backups/`);
  };
  const wrong: string[] = [];
  const ran = new Set<string>();
  for (const page of pages) {
    const text = await readFile(fromRoot(page), 'utf8');
    const scripts = codeBlocksOf(page, text).filter(({ language }) => language === 'sh');
    for (const script of scripts) {
      const lines = script.text.replaceAll('\\\n', ' ').split('\n');
      for (const line of lines.map((each) => each.replace(/(?:^|\s+)#.*$/, ''))) {
        const [words = []] = shellCommands(line);
        if (words[0] !== 'millrace' || ran.has(line)) continue;
        ran.add(line);
        const command = words.slice(1).join(' ');
        const other = OTHERWISE.find(([shape]) => shape.test(command));
        if (other !== undefined && other[2] === undefined) continue;
        const exit = other?.[2] ?? 0;
        // Each page begins in a project without one.
        if (/^(?:init|new)\b/.test(command))
          await rm(join(project, 'millrace.yaml'), { force: true });
        const done = await call(filledIn(line));
        if (done.code !== exit) {
          wrong.push(
            `${script.place}: ${line} ended with ${done.code}\n${done.stdout}${done.stderr}`,
          );
        }
      }
    }
  }
  expect(wrong.join('\n\n')).toBe('');
  expect(ran.size).toBeGreaterThan(50);
});
