// `millrace new` in a real terminal: what it shows while it works, and how it is stopped.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { useServer } from '../support/use-server.ts';
import { isCursorBack, startInPty } from './pty.ts';
import { createRunProject } from './run-project.ts';
import type { RunProject } from './run-project.ts';

const server = useServer();
let project: RunProject;
beforeAll(async () => {
  project = await createRunProject(server());
});
afterAll(() => project.remove());

it('shows what it does in one line, and leaves the plan alone on the screen', async () => {
  const args = ['new', 'Do it', '--model', 'sim-fast', '--write', 'done.yaml'];
  const run = startInPty(project, args, { columns: 60, rows: 24 });
  try {
    expect(await run.ended).toBe(EXIT.ok);
    expect(run.raw()).toMatch(/Asking sim-fast for a plan.*ctrl-c/);
    const text = (await run.lines()).join('\n');
    expect(text).toContain('Wrote done.yaml with');
    expect(text).toContain('Wave 1');
    expect(text).not.toContain('ctrl-c stops');
    expect(isCursorBack(run.raw())).toBe(true);
  } finally {
    run.kill();
  }
});

it('ends with the screen restored when no server can be started', async () => {
  await project.write('no-folder', '');
  const settings = { ...project.settings, MILLRACE_URL: '', MILLRACE_API_KEY: '' };
  const data = ['--data-dir', join(project.folder, 'no-folder')];
  const args = ['new', 'Do it', '--model', 'sim-fast', '--write', 'away.yaml', ...data];
  const run = startInPty({ ...project, settings }, args, { columns: 80, rows: 24 });
  try {
    expect(await run.ended).not.toBe(EXIT.ok);
    const text = (await run.unbroken()).join('\n');
    expect(text).toContain('no-folder');
    expect(text).not.toContain('ctrl-c stops');
    expect(isCursorBack(run.raw())).toBe(true);
    expect(existsSync(join(project.folder, 'away.yaml'))).toBe(false);
  } finally {
    run.kill();
  }
});

it('is left at once by ctrl-c while it reads the repository, with the cursor back', async () => {
  // Enough to be read for a while; a signal that comes later finds the call, which is stopped as well.
  for (let folder = 0; folder < 40; folder++) {
    for (let file = 0; file < 50; file++) {
      await project.write(`many-${folder}-${file}.js`, 'export const a = 1;\n'.repeat(400));
    }
  }
  const args = ['new', 'Do it', '--model', 'sim-slow', '--write', 'left.yaml'];
  const run = startInPty(project, args, { columns: 80, rows: 24 });
  try {
    await run.waitFor(/Reading the repository/);
    run.type('\u0003');
    expect(await run.ended).toBe(EXIT.interrupted);
    const text = (await run.unbroken()).join('\n');
    expect(text).toContain('Stopped. Nothing was written');
    expect(isCursorBack(run.raw())).toBe(true);
    expect(existsSync(join(project.folder, 'left.yaml'))).toBe(false);
  } finally {
    run.kill();
  }
});

it('is stopped by ctrl-c: the call is cancelled, and what it used is said', async () => {
  const args = ['new', 'Do it', '--model', 'sim-slow', '--write', 'stopped.yaml'];
  const run = startInPty(project, args, { columns: 80, rows: 24 });
  try {
    await run.waitFor(/\d+ characters/);
    run.type('\u0003');
    expect(await run.ended).toBe(EXIT.interrupted);
    const text = (await run.unbroken()).join('\n');
    expect(text).toMatch(
      /Stopped\. Nothing was written\. Used: 1 call, [\d,]+ tokens in, [1-9]\d* out/,
    );
    expect(isCursorBack(run.raw())).toBe(true);
    expect(existsSync(join(project.folder, 'stopped.yaml'))).toBe(false);
    const { rows } = await server().db.query<{ code: string }>(
      `select error_code as code from jobs where stream_id = 'plan' and model = 'sim-slow'`,
    );
    expect(rows).toEqual([{ code: 'CANCELLED' }]);
  } finally {
    run.kill();
  }
});
