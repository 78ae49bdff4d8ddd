// Every command that a command suggests is pasted into a shell as it was printed: it exists, takes its flags,
// and acts where the first one did.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromRoot } from '../pins/tree.ts';
import { startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { manifestOf } from '../terminal/run-project.ts';
import { newDesk, problemsOf, quoted } from './paste.ts';
import type { Desk } from './paste.ts';

let desk: Desk;
let server: ServeProcess;
/** What every command of this test says about the place, which is none of the usual ones. */
let place: string[];

beforeAll(async () => {
  desk = await newDesk();
  const project = join(desk.base, 'project');
  await mkdir(project);
  const dataDir = join(desk.base, 'the data');
  place = ['-C', project, '--data-dir', dataDir];
  server = await startServe(['--port', '0', '--data-dir', dataDir], desk.settings);
  const streams = [
    { id: 'good' },
    { id: 'bad', verify: ['false'] },
    { id: 'later', deps: ['bad'] },
  ];
  await writeFile(join(project, 'my plan.yaml'), manifestOf(streams, ''));
  await writeFile(join(project, 'good.yaml'), manifestOf([{ id: 'good' }]));
});
afterAll(async () => {
  await server?.kill('SIGTERM');
  await desk?.remove();
});

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
  ['exec', 'Add a third page', '--dry-run', '--model', 'sim-instant'],
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
  ['new', 'Add a page', '--model', 'sim-instant', '--write', 'new plan.yaml'],
  ['new', 'Add a page', '--write', 'other.yaml'],
  ['help', 'nonsense'],
];

it('what is suggested can be pasted, and acts where the first command did', async () => {
  const seen = new Set<string>();
  const wrong: string[] = [];
  const isKept = (line: string, flag: string, value: string) =>
    line.includes(`${flag} ${value}`) || line.includes(`${flag} ${quoted(value)}`);
  for (const call of CALLS) {
    const line = [desk.launcher, ...place, ...call].map(quoted).join(' ');
    const { stdout, stderr } = await desk.paste(line);
    for (const suggested of suggestionsIn(`${stdout}\n${stderr}`)) {
      if (seen.has(suggested)) continue;
      seen.add(suggested);
      const [, project = '', , dataDir = ''] = place;
      if (!isKept(suggested, '--data-dir', dataDir)) wrong.push(`${suggested}: no --data-dir`);
      if (!isKept(suggested, '-C', project)) wrong.push(`${suggested}: no -C`);
      wrong.push(...(await problemsOf(desk, suggested)));
    }
  }
  expect(wrong).toEqual([]);
  const all = [...seen].join('\n');
  expect(seen.size).toBeGreaterThan(25);
  expect(all).toContain('exec start');
  // The run is resumed as it was started, from any command that says so.
  const resumed = [...seen].filter((line) => / run 'my plan\.yaml'/.test(line));
  expect(resumed.length).toBeGreaterThan(0);
  for (const line of resumed) expect(line, all).toContain('--model sim-instant');
}, 1_200_000);
