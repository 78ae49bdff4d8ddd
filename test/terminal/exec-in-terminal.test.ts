import { afterAll, beforeAll, expect, it } from 'vitest';
import { planOf } from '../executions/execution.ts';
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

const EXEC = ['exec', '--model', 'sim-instant'];

it('an execution is followed on a terminal by default: waves, steps, cost, and what to do next', async () => {
  // The first step lasts until a machine with other work has looked at the screen: nothing here can hold it longer.
  const plan = planOf({
    first: 'owns: [a.ts]\nplan: Do a [[sim:delay 5000]]',
    second: 'owns: [b.ts]\nplan: Do b\ndeps: [first]',
  });
  const run = startInPty(project, [...EXEC, plan], { columns: 80, rows: 24 });
  try {
    await run.waitFor(/ Wave 1 {2}0\/1\n {3}\S first .*\n Wave 2 {2}0\/1\n {3}· second/);
    await run.waitFor(
      /\d\/2 steps {3}[\d.]+s {3}[\d,]+ tokens {3}\$[\d.]+ simulated {3}ctrl-c cancels/,
    );
    expect(await run.ended).toBe(0);
    const lines = await run.lines();
    expect(
      lines.filter((line) => /✓ (first|second) +[\d,]+ tok +[\d.]+s$/.test(line)),
    ).toHaveLength(2);
    expect(lines.join('\n')).not.toContain('ctrl-c cancels');
    const text = lines.join('\n');
    expect(text).toMatch(/✓ completed {2}2\/2 steps/);
    expect(text.replaceAll('\n', '')).toMatch(/apply exec_\w{26}/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(isCursorBack(run.raw())).toBe(true);
  } finally {
    run.kill();
  }
});

it('ctrl-c cancels it; with exec get --wait it only leaves', async () => {
  const plan = planOf({ slow: 'owns: [a.ts]\nplan: "[[sim:hang]]"' });
  const run = startInPty(project, [...EXEC, plan], { columns: 80, rows: 24 });
  const started = [run];
  try {
    await run.waitFor(/ {3}\S slow .*[\d.]+s/);
    const [id] = /exec_\w{26}/.exec(run.raw())!;
    const watching = startInPty(project, ['exec', 'get', id, '--wait'], { columns: 80, rows: 24 });
    started.push(watching);
    await watching.waitFor(/ {3}\S slow [^]*q leaves/);
    watching.type('q');
    expect(await watching.ended).toBe(0);
    expect((await watching.lines()).join('\n')).toContain('Still running.');
    run.type('\u0003');
    expect(await run.ended).toBe(130);
    const text = (await run.lines()).join('\n');
    expect(text).toMatch(/‖ cancelled {2}0\/1 steps/);
    expect(isCursorBack(run.raw())).toBe(true);
  } finally {
    for (const each of started) each.kill();
  }
});
