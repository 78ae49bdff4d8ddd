// `init` asks whether to write an AGENTS.md, where a person can answer.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startInPty } from './pty.ts';
import type { PtyRun } from './pty.ts';

const made: string[] = [];
const started: PtyRun[] = [];
afterEach(async () => {
  for (const run of started) run.kill();
  await Promise.all(started.splice(0).map(({ ended }) => ended));
  made.splice(0).forEach((path) => rmSync(path, { recursive: true, force: true }));
});

function init(files: Record<string, string> = {}, args: string[] = []) {
  const base = mkdtempSync(join(tmpdir(), 'millrace-init-'));
  made.push(base);
  const folder = join(base, 'shop');
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src/a.ts'), '');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const settings = { XDG_CONFIG_HOME: base, XDG_STATE_HOME: base };
  const run = startInPty({ folder, settings }, ['init', ...args], { columns: 200, rows: 30 });
  started.push(run);
  return { run, agents: join(folder, 'AGENTS.md') };
}

it('a yes writes it', async () => {
  const { run, agents } = init();
  await run.waitFor(/There is no AGENTS\.md\. Write one .*\[y\/N\]/);
  run.type('y\r');
  expect(await run.ended).toBe(0);
  expect(readFileSync(agents, 'utf8')).toBe(
    '# shop\n\nLanguages: TypeScript.\n\n## Folders\n\n- `src/`: sources\n',
  );
});

it('anything else does not', async () => {
  const { run, agents } = init();
  await run.waitFor(/\[y\/N\]/);
  run.type('\r');
  expect(await run.ended).toBe(0);
  expect(existsSync(agents)).toBe(false);
});

it('nothing is asked where there is one, or where no questions are wanted', async () => {
  for (const { run } of [init({ 'CLAUDE.md': 'Mine.\n' }), init({}, ['--no-input'])]) {
    expect(await run.ended).toBe(0);
    expect(run.raw()).not.toContain('[y/N]');
  }
});
