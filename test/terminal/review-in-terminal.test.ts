// Changes are looked through hunk by hunk: before they are written, and after.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numbered, replyWith } from '../orchestrator/review-project.ts';
import { useServer } from '../support/use-server.ts';
import { startInPty } from './pty.ts';
import type { PtyRun } from './pty.ts';
import { createRunProject } from './run-project.ts';
import type { RunProject } from './run-project.ts';

const server = useServer();
let project: RunProject;
let started: PtyRun[] = [];
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(async () => {
  for (const run of started) run.kill();
  await Promise.all(started.map(({ ended }) => ended));
  started = [];
  await project.remove();
});

function start(...args: string[]): PtyRun {
  const run = startInPty(project, args, { columns: 120, rows: 50 });
  started.push(run);
  return run;
}

/** Waits for the question, which then is the last thing on the screen, and answers it. */
async function answer(run: PtyRun, question: RegExp, key: string): Promise<void> {
  await run.waitFor(new RegExp(`${question.source} $|${question.source}$`));
  run.type(`${key}\r`);
}

const OLD = numbered(60);
const lines = (...changes: [number, string][]) =>
  changes.reduce((text, [line, by]) => text.replace(`line ${line}\n`, `${by}\n`), OLD);
// The first two are near to each other, and one hunk.
const NEW = lines([5, 'five'], [8, 'eight'], [30, 'thirty'], [55, 'last']);

async function prepare(more: { verify?: string[] } = {}): Promise<void> {
  const plan = replyWith([
    { type: 'edit', path: 'a.txt', content: NEW },
    { type: 'create', path: 'b.txt', content: 'b\n' },
    { type: 'create', path: 'c.txt', content: 'c\n' },
  ]);
  const stream = { name: 'Numbers', owns: ['*.txt'], plan, ...more };
  const manifest = { feature: 'Review', model: 'sim-instant', streams: { s: stream } };
  await project.write('m.yaml', JSON.stringify(manifest));
  await project.write('a.txt', OLD);
}

const has = (path: string) => existsSync(join(project.folder, path));

describe('run --review', () => {
  it('writes the hunks that were agreed to: whole, in part, or as they were edited', async () => {
    await prepare({ verify: ['grep -q FIFTY a.txt && ! grep -q thirty a.txt'] });
    project.settings['EDITOR'] = `sed -i s/last/FIFTY/`;
    const run = start('run', 'm.yaml', '--review', '--yes');
    await answer(run, /Write this hunk anyway\? \[y,n,s,e,a,d,q,\?\]:/, '?');
    await run.waitFor(/s - split this hunk into smaller ones\n[^]*\? - show this list/);
    await answer(run, /\? - show this list\n[^]*\[y,n,s,e,a,d,q,\?\]:/, 's');
    await answer(run, /-line 5\n\+five\n[^]*\[y,n,e,a,d,q,\?\]:/, 'n');
    await answer(run, /-line 8\n\+eight\n[^]*\[y,n,e,a,d,q,\?\]:/, 'y');
    await answer(run, /-line 30\n\+thirty\n[^]*\[y,n,e,a,d,q,\?\]:/, 'n');
    await answer(run, /-line 55\n\+last\n[^]*\[y,n,e,a,d,q,\?\]:/, 'e');
    await answer(run, /b\.txt\n[^]*\+b\n[^]*\[y,n,e,a,d,q,\?\]:/, 'n');
    expect(has('c.txt')).toBe(false);
    await answer(run, /c\.txt\n[^]*\+c\n[^]*\[y,n,e,a,d,q,\?\]:/, 'a');
    expect(await run.ended).toBe(0);
    expect(await project.read('a.txt')).toBe(lines([8, 'eight'], [55, 'FIFTY']));
    expect([has('b.txt'), has('c.txt')]).toEqual([false, true]);
  });

  it('takes the rest of a file with one key, and writes nothing after a quit', async () => {
    await prepare();
    const left = start('run', 'm.yaml', '--review', '--yes');
    await answer(left, /\[y,n,s,e,a,d,q,\?\]:/, 'y');
    await answer(left, /-line 30\n[^]*\[y,n,e,a,d,q,\?\]:/, 'q');
    expect(await left.ended).toBe(130);
    expect(await project.read('a.txt')).toBe(OLD);
    const run = start('run', 'm.yaml', '--review', '--yes');
    await answer(run, /\[y,n,s,e,a,d,q,\?\]:/, 'y');
    await answer(run, /-line 30\n[^]*\[y,n,e,a,d,q,\?\]:/, 'd');
    await answer(run, /b\.txt\n[^]*\[y,n,e,a,d,q,\?\]:/, 'y');
    await answer(run, /c\.txt\n[^]*\[y,n,e,a,d,q,\?\]:/, 'd');
    expect(await run.ended).toBe(0);
    expect(await project.read('a.txt')).toBe(lines([5, 'five'], [8, 'eight']));
    expect([has('b.txt'), has('c.txt')]).toEqual([true, false]);
  });
});

describe('review', () => {
  it('continues after a quit, sums up, and takes back what was turned down', async () => {
    await prepare({ verify: ['test -e a.txt'] });
    expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
    const left = start('review');
    await answer(left, /Keep this hunk\? \[y,n,s,e,c,a,d,q,\?\]:/, 'y');
    await answer(left, /-line 30\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'n');
    await answer(left, /-line 55\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'q');
    expect(await left.ended).toBe(0);
    expect((await left.lines()).join('')).toMatch(
      /Nothing was taken back\. Go on with: .*review run_/,
    );
    expect(await project.read('a.txt')).toBe(NEW);
    const run = start('review');
    await answer(run, /^(?![^]*line 30)[^]*-line 55\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
    await answer(run, /b\.txt\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'n');
    await answer(run, /c\.txt\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
    await run.waitFor(/3 hunks kept, 2 to take back, in 3 files\./);
    await answer(run, /Submit the review\? \[y\/N\]/, 'y');
    expect(await run.ended).toBe(0);
    expect((await run.lines()).join('\n')).toMatch(
      /test -e a\.txt\n[^]*2 files changed\.\n {2}a\.txt\n {2}b\.txt/,
    );
    expect(await project.read('a.txt')).toBe(lines([5, 'five'], [8, 'eight'], [55, 'last']));
    expect([has('b.txt'), has('c.txt')]).toEqual([false, true]);
    const over = start('review', '--json');
    expect(await over.ended).toBe(0);
    expect((await over.lines()).join('')).toContain('"files":[],"accepted":3,"rejected":0}');
    expect((await over.lines()).join('')).toMatch(/0 to take back.*review run_\w+ --again/);
  });

  it('shows the lines in the colours of their language, and as they are where nobody wants colours', async () => {
    const path = 'shelf.ts';
    const hostile = 'const a = "x"; // \u001b[2Jgone\n';
    // Made by a program, and of no language: shown in one colour.
    const others = { 'long.ts': `const b = "${'x'.repeat(5500)}";\n`, 'plain.txt': 'const c\n' };
    const files = { [path]: hostile, ...others };
    const operations = Object.entries(files).map(([name, content]) => ({
      type: 'create',
      path: name,
      content,
    }));
    const stream = { name: 'S', owns: ['*'], plan: replyWith(operations) };
    const manifest = { feature: 'Review', model: 'sim-instant', streams: { s: stream } };
    await project.write('m.yaml', JSON.stringify(manifest));
    expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
    const run = start('review');
    await answer(run, /long\.ts[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
    expect(run.raw().includes('[38;5;')).toBe(false);
    await answer(run, /plain\.txt[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
    expect(run.raw().includes('[38;5;')).toBe(false);
    await answer(run, /shelf\.ts[^]*Keep this hunk\? \[[^\]]*\]:/, 'q');
    expect(await run.ended).toBe(0);
    expect(run.raw()).toContain('\u001b[38;5;134mconst\u001b[39m');
    expect(run.raw()).not.toContain('\u001b[2J');
    expect((await run.unbroken()).join('\n')).toContain('+const a = "x"; // \ufffd[2Jgone');
    const calm = startInPty(project, ['review'], { columns: 120, rows: 50 }, { isPlain: true });
    started.push(calm);
    await calm.waitFor(/shelf\.ts[^]*Keep this hunk\? \[[^\]]*\]:/);
    expect(calm.raw()).toContain('+const a = "x"; // \ufffd[2Jgone');
    expect(calm.raw()).not.toContain('\u001b[38');
  });

  it('opens again with what the checks said when they do not pass without it', async () => {
    await prepare({ verify: ['grep -q thirty a.txt || { echo "thirty is missing"; exit 1; }'] });
    expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
    const run = start('review');
    await answer(run, /Keep this hunk\? \[y,n,s,e,c,a,d,q,\?\]:/, 'd');
    await answer(run, /b\.txt\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
    await answer(run, /c\.txt\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
    await answer(run, /Submit the review\? \[y\/N\]/, 'y');
    expect(await run.ended).toBe(1);
    expect((await run.lines()).join('\n')).toMatch(
      /Error: s does not pass without it[^]*thirty is missing/,
    );
    expect(await project.read('a.txt')).toBe(NEW);
    const again = start('review');
    await again.waitFor(/The last submit did not count: s: [^]*thirty is missing/);
    await answer(again, /Keep this hunk\? \[y,n,s,e,c,a,d,q,\?\]:/, 'a');
    expect(await again.ended).toBe(0);
    expect((await again.lines()).join('\n')).toContain('everything is kept.');
  });

  it('says what to do where there is nobody to ask, or nothing to review', async () => {
    await prepare();
    expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
    const { code, stderr } = await project.millrace(['review']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/nobody to ask[^]*diff run_/);
    await project.millrace(['revert']);
    const run = start('review');
    expect(await run.ended).toBe(0);
    expect((await run.lines()).join('')).toContain('wrote nothing that can be reviewed.');
  });
});
