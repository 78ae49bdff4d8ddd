// S2: killed at every event of a run, and gone on with.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listApplied } from '../../src/orchestrator/apply/record.ts';
import { placeIn } from './apply-project.ts';
import { reply } from './project.ts';
import type { Project } from './project.ts';
import { useProjects } from './use-projects.ts';

const SCRIPT = fileURLToPath(new URL('./crash-run.ts', import.meta.url));
const AT_ONCE = 2;

const { server, project: create } = useProjects();

function project(): Project {
  return create({
    a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'a\n' }), setup: ['true'] },
    b: {
      name: 'B',
      deps: ['a'],
      owns: ['b.txt'],
      plan: `${reply({ 'b.txt': 'bad\n' })} ${reply({ 'b.txt': 'good\n' }, 'b-fix-1')}`,
      verify: ['grep -q good b.txt'],
    },
    c: { name: 'C', deps: ['b'], owns: ['c.txt'], plan: reply({ 'c.txt': 'c\n' }) },
  });
}

function outcome(place: Project): Record<string, string> {
  const tree = place.tree();
  const yaml = tree['millrace.yaml']!.replaceAll(/"?appliedAt"?: *"?[^",\n]*"?/g, 'appliedAt');
  return { ...tree, 'millrace.yaml': yaml };
}

async function crashAt(place: Project, seq: number): Promise<void> {
  const args = [SCRIPT, place.root, server.url, server.key, String(seq)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal, `event ${seq}`).toBe('SIGKILL');
}

it('comes to the same end from every moment, applies nothing twice and pays for nothing twice', async () => {
  const calm = project();
  const undisturbed = await calm.run(server, { concurrency: 2 });
  expect(undisturbed.status).toBe('complete');
  const expected = outcome(calm);
  // The last event is the end itself: there is nothing left to go on with. Every fourth one, and
  // others the next time: each costs the start of a process.
  const rest = Math.floor(Math.random() * 4);
  const moments = undisturbed.events
    .slice(0, -1)
    .map(({ seq }) => seq)
    .filter((seq) => seq % 4 === rest || process.env['CRASH_EVERYWHERE']);
  const one = async () => {
    for (let seq = moments.shift(); seq !== undefined; seq = moments.shift()) {
      const place = project();
      await crashAt(place, seq);
      const ran = await place.run(server, { concurrency: 2 });
      expect(ran.status, `after event ${seq}`).toBe('complete');
      expect(outcome(place), `after event ${seq}`).toEqual(expected);
      const { tokens } = ran.totals;
      expect(tokens.output, `tokens after event ${seq}`).toBe(undisturbed.totals.tokens.output);
      const applied = await listApplied(placeIn(place.root).stateDir, ran.runId);
      const standing = applied.filter(({ undone }) => !undone).map(({ streamId }) => streamId);
      expect(standing.sort()).toEqual(['a', 'b-fix-1', 'c']);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
});
