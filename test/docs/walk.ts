// Does what a page of the documentation shows, from top to bottom, on a real server: every request is answered well
// and every command ends well. What a reader fills in (`exec_01...`, the key that a command printed) comes from the
// answers before.
import { expect } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { runHere } from '../support/run-here.ts';
import type { CodeBlock } from './code-blocks.ts';
import { shellCommands } from './shell-commands.ts';

/** Commands that cannot be done here from beginning to end, and where they are. */
const NOT_HERE: readonly (readonly [command: RegExp, why: string])[] = [
  [/^serve\b/, 'runs until it is stopped: test/e2e'],
  [/^webhooks listen\b/, 'runs until it is stopped: test/webhooks'],
  [/^login\b/, 'a person has to confirm it in a browser: test/accounts'],
  [/^keys add anthropic$/, 'asks in a terminal: test/terminal; here it is stored beforehand'],
  [/^keys add anthropic --shared/, 'asks in a terminal: test/terminal'],
  [/^keys add openai/, 'reads the key from a file: test/keys'],
  [/^secrets (rotate|discard)\b/, 'is for the machine of the server: test/keys'],
  [/^mcp (un)?install\b/, 'changes settings of other programs: test/tools-install'],
  [/^run --model claude/, 'the vendor of the tests writes no files: test/orchestrator'],
];

export interface Walk {
  server: TestServer;
  /** Where commands are run. */
  project: string;
  /** What the reader has set; the ids that answers name are added. */
  known: Record<string, string>;
  env: Record<string, string>;
}

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
    else if (word === '-o') at++;
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

function remember({ known }: Walk, output: string): void {
  for (const [id, kind] of output.matchAll(/\b(job|exec|wh|team|run)_[0-9a-z]{26}\b/g)) {
    known[`${kind}_01...`] = id;
    if (kind === 'job') known['JOB_ID'] = id;
  }
}

function filledIn({ server, known }: Walk, word: string): string {
  return word
    .replaceAll(/\$([A-Z_]+)/g, (all, name: string) => known[name] ?? all)
    .replaceAll(/\b[a-z]+_01\.\.\./g, (placeholder) => known[placeholder] ?? placeholder)
    .replaceAll('http://127.0.0.1:4747', server.url)
    .replaceAll('https://example.com/hooks', known['HOOKS']!);
}

async function doIt(walk: Walk, name: string, words: readonly string[]): Promise<boolean> {
  const line = words.join(' ');
  if (name === 'curl') {
    remember(walk, await curl(words));
    return true;
  }
  if (!/^(\.\/)?millrace$/.test(name) || NOT_HERE.some(([command]) => command.test(line))) {
    return false;
  }
  const { code, stdout, stderr } = await runHere([...words], walk.env, walk.project);
  expect({ line, code, stderr: code === 0 ? '' : stdout + stderr }).toEqual({
    line,
    code: 0,
    stderr: '',
  });
  remember(walk, stdout + stderr);
  return true;
}

/** Returns what was done. */
export async function walkThrough(walk: Walk, blocks: readonly CodeBlock[]): Promise<string[]> {
  const done: string[] = [];
  for (const { text, place } of blocks.filter(({ language }) => language === 'sh')) {
    for (const command of shellCommands(text)) {
      const [name = '', ...words] = command.map((word) => filledIn(walk, word));
      const isDone = await doIt(walk, name, words).catch((error: Error) => {
        throw new Error(`${place}: ${error.message}`, { cause: error });
      });
      if (isDone) done.push([name, ...words].join(' '));
    }
  }
  return done;
}
