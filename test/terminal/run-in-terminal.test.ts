import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { isCursorBack, startInPty } from './pty.ts';
import type { PtyRun } from './pty.ts';
import { createRunProject, manifestOf } from './run-project.ts';
import type { RunProject, StreamText } from './run-project.ts';

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

const SMALL = { columns: 80, rows: 24 };

function start(args: readonly string[], size = SMALL): PtyRun {
  const run = startInPty(project, args, size);
  started.push(run);
  return run;
}

const count = (lines: readonly string[], pattern: RegExp) =>
  lines.filter((line) => pattern.test(line)).length;

describe('a run in a terminal', () => {
  it.each([
    [80, 24],
    [200, 50],
  ])('shows waves, a failure and its fix in %ix%i, and all of it stays', async (columns, rows) => {
    const run = start(['run', 'feature.yaml', '--yes'], { columns, rows });
    expect(await run.ended).toBe(0);
    // Of what was drawn on the way: the failure stays open while it is being mended.
    expect(run.raw()).toMatch(/✗\S* search /);
    expect(run.raw()).toMatch(/search-fix-1 .*attempt 2 of 3/);
    const lines = await run.lines();
    expect(lines[0]).toMatch(/^ Shelves that can be searched {2}run_\w+ {2}sim-fast/);
    for (const wave of [/Wave 1 {2}2\/2/, /Wave 2 {2}3\/3/, /Wave 3 {2}1\/1/]) {
      expect(count(lines, wave), String(wave)).toBe(1);
    }
    for (const id of ['schema', 'config', 'store', 'search', 'docs', 'tests']) {
      expect(count(lines, new RegExp(`^ {3}✓ ${id} +[\\d,]+ tok +\\$[\\d.]+ +[\\d.]+s$`)), id).toBe(
        1,
      );
    }
    expect(count(lines, /└ ✓ search-fix-1 /)).toBe(1);
    expect(count(lines, /Wave \d/)).toBe(3);
    expect(lines.join('\n')).toMatch(/✓ complete {2}6 streams \+ 1 fix/);
    expect(isCursorBack(run.raw())).toBe(true);
  });

  it.skipIf(NO_SANDBOX !== undefined)('asks what the built-in agent asks', async () => {
    const call = (name: string, args: object) => `[[sim:call ${name} ${JSON.stringify(args)}]]`;
    const plan = [
      call('ask', { question: 'Which shelf?' }),
      call('write', { path: 'a.txt', content: 'a' }),
      call('done', { summary: 'Done' }),
    ];
    const stream = { name: 'A', agent: 'loop', owns: ['a.txt'], plan: plan.join(' ') };
    const manifest = { feature: 'Ask', model: 'sim-instant', streams: { a: stream } };
    await project.write('m.yaml', JSON.stringify(manifest));
    const run = start(['run', 'm.yaml', '--yes']);
    await run.waitFor(/a asks: Which shelf\?/);
    run.type('The Upper one\r');
    expect(await run.ended).toBe(0);
    const folder = await project.stateDir();
    const [runId = ''] = readdirSync(join(folder, 'runs'));
    const turn = join(folder, 'runs', runId, 'calls', 'a.1.2.turn.json');
    expect(JSON.parse(readFileSync(turn, 'utf8'))).toMatchObject({
      messages: expect.arrayContaining([expect.objectContaining({ text: 'The Upper one' })]),
    });
  });

  it('has 40 streams in 24 rows, loses none of them, and survives a change of the size', async () => {
    const streams: StreamText[] = Array.from({ length: 40 }, (_, i) => ({
      id: `s${i + 1}`,
      ...(i >= 8 && { deps: [`s${i - 7}`] }),
      directives: '[[sim:delay 300]]',
    }));
    await project.write('m.yaml', manifestOf(streams));
    const run = start(['run', 'm.yaml']);
    await run.waitFor(/Wave 2 {2}[1-8]\/8/);
    const visible = await run.visible();
    expect(visible.length).toBeLessThanOrEqual(24);
    expect(visible.join('\n')).toMatch(/Wave 5 {2}0\/8/);
    expect(visible.at(-1)).toMatch(/\d+\/40 streams/);
    run.resize(120, 30);
    expect(await run.ended).toBe(0);
    const lines = await run.lines();
    for (const { id } of streams) {
      expect(count(lines, new RegExp(`^ {3}✓ ${id} `)), id).toBe(1);
    }
    expect(lines.join('\n')).toMatch(/✓ complete {2}40 streams/);
    expect(isCursorBack(run.raw())).toBe(true);
  });

  it('stops in order at ctrl-c, says so, and gives the cursor back', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a', directives: '[[sim:hang]]' }]));
    const run = start(['run', 'm.yaml']);
    await run.waitFor(/a +0 tok .*[1-9]\.\ds/);
    const isCalling = async () =>
      (await server().db.query(`select 1 from jobs where status = 'running'`)).rowCount > 0;
    await waitUntil(isCalling, 'the call of the stream');
    run.type('\u0003');
    expect(await run.ended).toBe(130);
    const text = (await run.lines()).join('\n');
    expect(text).toContain('stopping; cancelling 1 call, waiting for the token counts...');
    expect(text).toMatch(/‖ a +stopped {2}[\d,]+ tok {2}\$[\d.]+\n/);
    expect(text).toMatch(/‖ stopped {2}1 pending/);
    expect(text.replaceAll('\n', '')).toMatch(/millrace -C \S+ run m\.yaml/);
    expect(isCursorBack(run.raw())).toBe(true);
  });

  it('leaves at once at a second ctrl-c, with the cursor back', async () => {
    const streams = [{ id: 'a', verify: ['trap "" TERM; sleep 4; true'] }];
    await project.write('m.yaml', manifestOf(streams));
    const run = start(['run', 'm.yaml', '--yes']);
    await run.waitFor(/a .*trap/);
    run.type('\u0003');
    await run.waitFor(/stopping\.\.\./);
    run.type('\u0003');
    expect(await run.ended).toBe(130);
    expect((await run.lines()).join('')).toMatch(/Resume with: \S*millrace -C \S+ run m\.yaml/);
    expect(isCursorBack(run.raw())).toBe(true);
  });

  it('shows commands before the first run, asks once, and does nothing after a no', async () => {
    const text = manifestOf([{ id: 'a', verify: ['test -s out/a.md'] }]);
    await project.write('m.yaml', text);
    const refused = start(['run', 'm.yaml']);
    await refused.waitFor(/test -s out\/a\.md[^]*\[y\/N\]/);
    refused.type('n\r');
    expect(await refused.ended).toBe(2);
    expect(await project.read('m.yaml')).toBe(text);
    const agreed = start(['run', 'm.yaml']);
    await agreed.waitFor(/\[y\/N\]/);
    agreed.type('y\r');
    expect(await agreed.ended).toBe(0);
    // Without a terminal now: it was agreed to.
    expect((await project.millrace(['run', 'm.yaml', '--only', 'a'])).code).toBe(0);
  });

  it('shows every change and asks before it is written, with --review', async () => {
    await project.write(
      'm.yaml',
      manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }, { id: 'c', deps: ['b'] }]),
    );
    const run = start(['run', 'm.yaml', '--review', '--max-attempts', '1']);
    await run.waitFor(
      /a: About a \(file 1 of 1\)[^]*\+\+\+ b\/out\/a\.md[^]*\[y,n,e,a,d,q,\?\]: $/,
    );
    // The file is a real one, whatever the model is.
    expect(run.raw()).toMatch(/sim-\w+ is simulated\. Write this hunk anyway\?/);
    expect(existsSync(join(project.folder, 'out/a.md'))).toBe(false);
    run.type('y\r');
    await run.waitFor(/b: About b[^]*\[y,n,e,a,d,q,\?\]: $/);
    expect(existsSync(join(project.folder, 'out/a.md'))).toBe(true);
    run.type('q\r');
    expect(await run.ended).toBe(130);
    expect(existsSync(join(project.folder, 'out/b.md'))).toBe(false);
    expect(isCursorBack(run.raw())).toBe(true);
  });
});

describe('watching in a terminal', () => {
  it('shows the run as it goes; q leaves and the run goes on', async () => {
    await project.write(
      'm.yaml',
      manifestOf([{ id: 'a', directives: '[[sim:hang]]' }, { id: 'b' }]),
    );
    const run = project.start(['run', 'm.yaml', '--json']);
    try {
      await waitUntil(() => run.stdout().includes('"stream.job"'), 'the start');
      const view = start(['watch']);
      await view.waitFor(/✓ b [^]*q quits, the run continues/);
      view.type('q');
      expect(await view.ended).toBe(0);
      expect((await view.lines()).join('\n')).toContain('The run continues.');
      expect(isCursorBack(view.raw())).toBe(true);
      expect(run.child.exitCode).toBeNull();
    } finally {
      run.child.kill('SIGINT');
      expect(await run.ended).toBe(130);
    }
  });
});
