// The built-in agent asks who sits at the terminal of its run.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { startInPty } from './pty.ts';
import type { PtyRun } from './pty.ts';
import { createRunProject } from './run-project.ts';
import type { RunProject } from './run-project.ts';

const server = useServer();
let project: RunProject;
let run: PtyRun | undefined;
beforeEach(async () => {
  project = await createRunProject(server());
  const plan =
    'Write it. [[sim:call ask {"question": "Which colour?"}]] [[sim:call write {"path": "a.txt", "content": "a"}]]';
  const stream = { name: 'A', owns: ['a.txt'], agent: 'loop', plan };
  const manifest = { feature: 'f', model: 'sim-instant', streams: { s: stream } };
  await project.write('m.yaml', JSON.stringify(manifest));
});
afterEach(async () => {
  run?.kill();
  await run?.ended;
  await project.remove();
});

const client = () => {
  const { MILLRACE_API_KEY: key } = project.settings;
  return new MillraceClient(server().url, key!);
};
const open = () =>
  waitUntil(async () => (await client().approvals.list({ status: 'open' })).items[0], 'a question');
const start = () => startInPty(project, ['run', 'm.yaml', '--yes'], { columns: 120, rows: 40 });
const PROMPT = /s asks: Which colour\?[^]*Your answer \(empty: it decides itself\): $/;

describe.skipIf(NO_SANDBOX !== undefined)('a question at the terminal', () => {
  it('is answered there, or elsewhere, which the terminal then says', async () => {
    run = start();
    await run.waitFor(PROMPT);
    const { id, hash } = await open();
    await client().approvals.resolve(id, { decision: 'approve', hash, answer: 'Blue' });
    await run.waitFor(/@\S+ answered: Blue/);
    expect(await run.ended).toBe(0);
  });

  it('is answered there, and closed on the server', async () => {
    run = start();
    await run.waitFor(PROMPT);
    const { id } = await open();
    run.type('Red\r');
    expect(await run.ended).toBe(0);
    const { status, resolution } = await client().approvals.get(id);
    expect([status, resolution?.answer]).toEqual(['approved', 'Red']);
  });
});
