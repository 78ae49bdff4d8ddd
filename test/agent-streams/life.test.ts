// Runs whose streams are worked on by programs, from the first wave to the last, however their work is taken over.
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunEventBody } from '../../src/contract/run-events.ts';
import { ANSWER as NO_AGENT } from '../../src/manifest/model.ts';
import { applyKept } from '../../src/orchestrator/changes/apply-kept.ts';
import { changedSince } from '../../src/orchestrator/changes/changed-since.ts';
import { diffRun } from '../../src/orchestrator/changes/diff-run.ts';
import { revertRun } from '../../src/orchestrator/changes/revert-run.ts';
import { findRun } from '../../src/orchestrator/project/find-run.ts';
import { placeIn } from '../orchestrator/apply-project.ts';
import { reply } from '../orchestrator/project.ts';
import type { Project } from '../orchestrator/project.ts';
import { acceptAll } from '../orchestrator/use-projects.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { ANSWER, useAgents } from './world.ts';

describe.skipIf(NO_SANDBOX !== undefined)('streams of agents', () => {
  const world = useAgents();
  const mode = (place: Project, path: string) => statSync(join(place.root, path)).mode & 0o777;

  it('shows what it has changed while it works: names and counts of its own files', async () => {
    world.agent(
      'grower',
      `read(); mkdir('src/new');
      write('src/new/one.txt', 'a\\nb\\n'); write('src/old.txt', 'first\\nsecond\\nthird\\n'); remove('src/gone.txt');
      fs.rmSync('src/lib', { recursive: true });
      write('src/same.txt', 'same\\n'); write('src/image.bin', Buffer.from([0, 1]));
      write('elsewhere.txt', 'not mine'); write('src/.env', 'A=1'); write('src/x.log', 'ignored');
      fs.symlinkSync('/etc/passwd', 'src/link'); spawnSync('mkfifo', ['src/pipe']);
      await call();
      for (const path of ['elsewhere.txt', 'src/.env', 'src/link', 'src/pipe', 'src/image.bin']) remove(path);`,
    );
    const files = {
      'src/old.txt': 'first\nlast\n',
      'src/gone.txt': 'x\ny\n',
      'src/lib/a.txt': 'a\n',
      'src/same.txt': 'same\n',
      '.gitignore': '*.log\n',
    };
    const place = world.project(
      { s: { name: 's', plan: 'Grow.', owns: ['src/'], agent: 'grower' } },
      files,
    );
    const { promise: seen, resolve: onSeen } = Promise.withResolvers<void>();
    world.vendor().answer({ ...ANSWER, before: () => seen });
    const changed: RunEventBody[] = [];
    const ran = await world.run(place, {
      onEvent(event) {
        if (event.type !== 'agent.changed') return;
        changed.push(event);
        onSeen();
      },
    });
    world.vendor().answer(ANSWER);
    expect(ran.status, JSON.stringify(ran.events)).toBe('complete');
    expect(changed[0]).toMatchObject({
      files: 5,
      additions: 4,
      deletions: 4,
      outside: 2,
      list: [
        { path: 'src/gone.txt', kind: 'delete', additions: 0, deletions: 2 },
        { path: 'src/image.bin', kind: 'create', additions: 0, deletions: 0 },
        { path: 'src/lib/a.txt', kind: 'delete', additions: 0, deletions: 1 },
        { path: 'src/new/one.txt', kind: 'create', additions: 2, deletions: 0 },
        { path: 'src/old.txt', kind: 'edit', additions: 2, deletions: 1 },
      ],
    });
  });

  it('may stand beside answers, and --agent names another one for all', async () => {
    world.agent('one', `read(); write('one.txt', 'one');`);
    world.agent(
      'other',
      `const name = /# Task: (?:Fix )?(\\w+)/.exec(read())[1]; write(name + '.txt', 'other');`,
    );
    const streams = {
      one: { name: 'one', plan: 'Write.', owns: ['one.txt'], agent: 'one' },
      two: {
        name: 'two',
        plan: reply({ 'two.txt': 'two' }),
        owns: ['two.txt'],
        model: 'sim-instant',
      },
    };
    const mixed = world.project(streams);
    expect((await world.run(mixed)).status).toBe('complete');
    expect([mixed.read('one.txt'), mixed.read('two.txt')]).toEqual(['one', 'two']);
    const named = world.project(streams);
    expect((await world.run(named, { agent: 'other' })).status).toBe('complete');
    expect([named.read('one.txt'), named.read('two.txt')]).toEqual(['other', 'other']);
    const none = world.project({ two: { ...streams.two, agent: 'one' } });
    expect((await world.run(none, { agent: NO_AGENT })).status).toBe('complete');
    expect(none.read('two.txt')).toBe('two');
  });

  it('are kept to the last byte and mode, applied later, shown and reverted', async () => {
    world.agent(
      'keeper',
      `read(); write('dos.txt', 'a\\nb'); chmod('tool.sh', 0o755); write('new.sh', '#!/bin/sh\\r\\n'); chmod('new.sh', 0o755);`,
    );
    const files = { 'dos.txt': 'a\r\nb\r\n', 'tool.sh': '#!/bin/sh\n' };
    const place = world.project(
      {
        k: {
          name: 'k',
          plan: 'Write.',
          owns: ['*.txt', '*.sh'],
          agent: 'keeper',
          verify: ['./tool.sh && test -x new.sh'],
        },
      },
      files,
    );
    const ran = await world.run(place, { apply: 'never' });
    expect(ran.status).toBe('complete');
    expect([place.read('dos.txt'), mode(place, 'tool.sh')]).toEqual(['a\r\nb\r\n', 0o644]);
    const project = placeIn(place.root);
    const found = async () => findRun(project.stateDir, ran.runId);
    const { pending } = await diffRun(project, { run: await found(), stream: undefined } as never);
    expect(pending.map(({ path }) => path)).toEqual(['dos.txt', 'new.sh', 'tool.sh']);
    expect(pending[2]!.diff).toContain('old mode 100644\nnew mode 100755');
    const where = { home: join(world.base(), 'home'), stateHome: join(world.base(), 'state') };
    const applied = await applyKept(project, await found(), {
      file: undefined,
      env: process.env,
      signal: new AbortController().signal,
      scrub: (text) => text,
      now: () => new Date(),
      approve: async () => ({ ...where, hosts: [] }),
      onStream: () => {},
      onCommand: () => {},
      onProblem: () => {},
    });
    expect(applied.failed).toBeUndefined();
    expect([place.read('dos.txt'), place.read('new.sh')]).toEqual(['a\nb', '#!/bin/sh\r\n']);
    expect([mode(place, 'tool.sh'), mode(place, 'new.sh')]).toEqual([0o755, 0o755]);
    await revertRun(project, await found(), { force: false, onProblem: () => {} });
    const { 'millrace.yaml': _, ...tree } = place.tree();
    expect([tree, mode(place, 'tool.sh')]).toEqual([files, 0o644]);
    const again = await diffRun(project, { run: await found(), stream: undefined } as never);
    expect(again.applied).toEqual([]);
  });

  it('whose change of a mode was undone are named, and those whose file got another one from the person are not', async () => {
    world.agent('modes', `read(); chmod('tool.sh', 0o755); write('own.sh', 'b');`);
    const files = { 'tool.sh': '#!/bin/sh\n', 'own.sh': 'a' };
    const place = world.project(
      { m: { name: 'm', plan: 'Write.', owns: ['*.sh'], agent: 'modes' } },
      files,
    );
    expect((await world.run(place)).status).toBe('complete');
    const changed = () => changedSince(placeIn(place.root), 'millrace.yaml', new Set(['m']));
    chmodSync(join(place.root, 'own.sh'), 0o755);
    expect(await changed()).toEqual([]);
    chmodSync(join(place.root, 'tool.sh'), 0o644);
    expect(await changed()).toEqual([{ id: 'm', files: ['tool.sh'] }]);
  });

  it('are reviewed file by file', async () => {
    world.agent('two', `read(); write('yes.txt', 'yes'); write('no.txt', 'no');`);
    const place = world.project({
      r: { name: 'r', plan: 'Write.', owns: ['*.txt'], agent: 'two' },
    });
    const ran = await world.run(place, {
      apply: 'review',
      review: async (_, files) =>
        acceptAll(files.filter(({ change }) => change.path === 'yes.txt')),
    });
    expect(ran.status).toBe('complete');
    expect(Object.keys(place.tree())).toEqual(['millrace.yaml', 'yes.txt']);
  });

  it('have what setup installed, do not hold one up, and have it again after a package file changed', async () => {
    world.agent(
      'needs',
      `read(); write('seen.txt', fs.readFileSync('node_modules/tool/version', 'utf8')); write('package.json', '{"version":"2.0.0"}');`,
    );
    world.agent('long', `read(); write('long.txt', ''); await sleep(4000);`);
    const setup = [
      `mkdir -p node_modules/tool && sed 's/[^0-9.]//g' package.json >node_modules/tool/version`,
    ];
    const place = world.project(
      {
        long: { name: 'long', plan: 'Write.', owns: ['long.txt'], agent: 'long' },
        needs: {
          name: 'needs',
          plan: 'Write.',
          owns: ['seen.txt', 'package.json'],
          agent: 'needs',
          setup,
          verify: ['grep -q 1.0.0 seen.txt && grep -q 2.0.0 node_modules/tool/version'],
        },
      },
      { 'package.json': '{"version":"1.0.0"}' },
    );
    const ran = await world.run(place);
    expect(ran.status).toBe('complete');
    const phases = ran.events.flatMap((event) =>
      event.type === 'command.started' ? [event.phase] : [],
    );
    expect(phases).toEqual(['setup', 'setup', 'verify']);
    const at = (type: string, stream: string) =>
      ran.events.findIndex(
        (event) => event.type === type && 'stream' in event && event.stream === stream,
      );
    expect(at('stream.completed', 'needs')).toBeLessThan(at('stream.answer', 'long'));
  });
});
