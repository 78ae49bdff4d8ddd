// The guide of the API, done from top to bottom on a real server: every request and command in it succeeds, every
// program ends without an error.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import { fromRoot } from '../pins/tree.ts';
import { sharedServer } from '../dashboard/shared-server.ts';
import { runHere } from '../support/run-here.ts';
import { codeBlocksOf } from './code-blocks.ts';
import { shellCommands } from './shell-commands.ts';

const blocks = codeBlocksOf('api-guide.md', readFileSync(fromRoot('docs/api-guide.md'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'millrace-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What curl would do with these words. */
async function curl(words: readonly string[]): Promise<string> {
  const request: { method?: string; body?: string; headers: Record<string, string> } = {
    headers: {},
  };
  let url = '';
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '-X') request.method = words[++at]!;
    else if (word === '-d') request.body = words[++at]!;
    else if (word === '-H') {
      const [name = '', value = ''] = words[++at]!.split(/: (.*)/);
      request.headers[name] = value;
    } else if (!word.startsWith('-')) url = word;
  }
  if (request.body !== undefined) request.method ??= 'POST';
  const reply = await fetch(url, request);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${reply.status} ${text}`);
  return text;
}

it('the shell snippets of the API guide work as they are', async () => {
  const { server } = await sharedServer();
  const { key } = await server.createKey();
  const home = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const known: Record<string, string> = { MILLRACE_URL: server.url, MILLRACE_API_KEY: key };
  const done: string[] = [];
  for (const { language, text, place } of blocks.filter(({ language }) => language === 'sh')) {
    for (const words of shellCommands(text)) {
      const [name, ...rest] = words.map((word) =>
        word.replaceAll(/\$([A-Z_]+)/g, (all, variable: string) => known[variable] ?? all),
      );
      if (name === 'export') continue;
      if (name === 'curl') {
        const answer = await curl(rest).catch((error: Error) => {
          throw new Error(`${place}: ${error.message}`);
        });
        const [, jobId] = /"jobId":"([^"]+)"/.exec(answer) ?? [];
        if (jobId !== undefined) known['JOB_ID'] = jobId;
      } else {
        const result = await runHere(rest, { ...home, ...known });
        expect(result, `${place} ${language}`).toMatchObject({ code: 0 });
      }
      done.push(name!);
    }
  }
  expect(done.filter((name) => name === 'curl').length).toBeGreaterThan(5);
  expect(done.filter((name) => name === 'millrace').length).toBeGreaterThan(4);
});

it('so do its programs', async () => {
  const { server } = await sharedServer();
  const { key } = await server.createKey();
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
    for (const [index, { text }] of blocks.filter((one) => one.language === 'ts').entries()) {
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
  expect(said).toContain('NOT_FOUND');
});
