// Notation A: nothing is written into the file; what is done is known from the run folder.
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/orchestrator/run/context.ts';
import { findStateDir } from '../../src/orchestrator/state/state-dir.ts';
import { runCli } from '../support/cli.ts';
import { reply } from './project.ts';
import type { Project } from './project.ts';
import { useProjects } from './use-projects.ts';

const { server, projectOf } = useProjects();

const workflow = (commands: Record<string, object[]> = {}) =>
  `# A comment that stays\n${JSON.stringify(
    {
      name: 'w',
      version: '1.0.0',
      description: 'd',
      streams: Object.fromEntries(
        ['a', 'b'].map((id) => [
          id,
          {
            description: id.toUpperCase(),
            plan: reply({ [`${id}.txt`]: 'x\n' }),
            commands: commands[id] ?? [],
          },
        ]),
      ),
    },
    null,
    2,
  )}\n`;

const started = (events: readonly { type: string; stream?: string }[]) =>
  events.flatMap(({ type, stream }) => (type === 'stream.started' ? [stream ?? ''] : [])).sort();

const stateHome = (place: Project) => join(place.root, '.millrace');

async function cli(place: Project, ...args: string[]) {
  const settings = {
    XDG_CONFIG_HOME: join(place.root, '..', 'no-config'),
    MILLRACE_STATE_DIR: stateHome(place),
  };
  return runCli(['-C', place.root, ...args], settings);
}

/** With the state where the command finds it. */
async function run(place: Project, more: Partial<RunOptions> = {}) {
  const stateDir = await findStateDir(realpathSync(place.root), stateHome(place));
  return place.run(server, { stateDir, ...more });
}

interface Planned {
  streams: Record<string, { status: string; action: string; skipReason?: string }>;
}

describe('a workflow', () => {
  it('leaves the file as it is, and knows from the run folder what is done', async () => {
    const text = workflow();
    const place = projectOf(text);
    const first = await run(place);
    expect(first.status).toBe('complete');
    expect(place.read('millrace.yaml')).toBe(text);
    expect((await cli(place, 'validate', '--strict')).code).toBe(0);

    expect(started((await run(place)).events)).toEqual([]);
    const planned = await cli(place, 'plan', '--json', '--detailed-exitcode');
    expect(planned.code, planned.stderr).toBe(0);
    expect((JSON.parse(planned.stdout) as Planned).streams).toMatchObject({
      a: { status: 'complete', action: 'skip', skipReason: expect.stringMatching(/^applied 2/) },
      b: { status: 'complete', action: 'skip' },
    });
    const dry = await cli(place, 'run', '--dry-run', '--json', '--model', 'sim-instant');
    expect((JSON.parse(dry.stdout) as Planned).streams['a']!.action).toBe('skip');

    const again = await run(place, { selection: { only: ['b'], from: [], skip: [] } });
    expect(started(again.events)).toEqual(['b']);
    expect(place.read('millrace.yaml')).toBe(text);
  });

  it('does only the failed stream again', async () => {
    const text = workflow({ b: [{ command: 'test -e ready', critical: true }] });
    const place = projectOf(text);
    const first = await run(place, { maxAttempts: 1 });
    expect(first.status).toBe('failed');
    expect(place.read('millrace.yaml')).toBe(text);
    const planned = await cli(place, 'plan', '--json', '--detailed-exitcode');
    expect(planned.code).toBe(10);
    expect((JSON.parse(planned.stdout) as Planned).streams).toMatchObject({
      a: { action: 'skip' },
      b: { status: 'failed', action: 'run' },
    });
    writeFileSync(join(place.root, 'ready'), '');
    const second = await run(place);
    expect(second.status).toBe('complete');
    expect(started(second.events)).toEqual(['b']);
  });

  it('waits again after a revert, for the streams of that run only', async () => {
    const place = projectOf(workflow());
    const first = await run(place, { selection: { only: ['a'], from: [], skip: [] } });
    const second = await run(place);
    expect(started(second.events)).toEqual(['b']);
    const reverted = await cli(place, 'revert', first.runId, '--json');
    expect(JSON.parse(reverted.stdout)).toMatchObject({ files: ['a.txt'], streams: ['a'] });
    expect(started((await run(place)).events)).toEqual(['a']);
  });

  it('is done once kept answers are written, and not before', async () => {
    const place = projectOf(workflow());
    const kept = await run(place, { apply: 'never' });
    expect(kept.status).toBe('complete');
    expect(place.exists('a.txt')).toBe(false);
    expect((await cli(place, 'plan', '--detailed-exitcode')).code).toBe(10);
    const applied = await cli(place, 'apply', '--yes');
    expect(applied.code, applied.stderr).toBe(0);
    expect(place.exists('a.txt')).toBe(true);
    expect((await cli(place, 'plan', '--detailed-exitcode')).code).toBe(0);
    expect((await cli(place, 'apply', '--yes')).stderr).toContain('nothing to apply');
  });
});

describe('a stream that its second fix healed', () => {
  it('leaves no work to do', async () => {
    const stream = {
      name: 'api',
      owns: ['api.txt'],
      plan: reply({ 'api.txt': 'x\n' }),
      // Good from the third time on.
      verify: ['echo x >> .count; test $(wc -l < .count) -ge 3'],
    };
    const place = projectOf(`${JSON.stringify({ feature: 'f', streams: { api: stream } })}\n`);
    try {
      expect((await run(place)).status).toBe('complete');
      expect(place.streams()).toMatchObject({
        api: { status: 'complete' },
        'api-fix-1': { status: 'failed' },
        'api-fix-2': { status: 'complete' },
      });
      const planned = await cli(place, 'plan', '--json', '--detailed-exitcode');
      expect(planned.code, planned.stdout).toBe(0);
      expect((JSON.parse(planned.stdout) as Planned).streams['api-fix-1']).toMatchObject({
        action: 'skip',
        skipReason: 'a fix of api',
      });
    } finally {
      place.remove();
    }
  });
});
