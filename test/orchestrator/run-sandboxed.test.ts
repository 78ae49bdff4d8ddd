// A run whose commands are in the sandbox.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectionOf } from '../../src/domain/run/projection.ts';
import { createReplay } from '../../src/domain/run/replay.ts';
import type { CommandSandboxOptions } from '../../src/orchestrator/commands/command-sandbox.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { feature } from './project.ts';
import { edits, useScriptedProjects, whole } from './scripted-projects.ts';
import { useProjects, writes } from './use-projects.ts';

let base: string;
beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-run-sandboxed-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const sandbox = (): CommandSandboxOptions => ({
  stateHome: join(base, 'state'),
  home: base,
  hosts: [],
});

describe.skipIf(NO_SANDBOX !== undefined)('a run with its commands in the sandbox', () => {
  const { server, project, projectOf } = useProjects();

  it('checks what it applied, and leaves no more than that in the project', async () => {
    const place = project({
      a: writes('a', {
        setup: ['mkdir -p node_modules && echo tool >node_modules/tool'],
        verify: ['grep -q a a.txt && cat node_modules/tool && echo built >built.txt'],
      }),
      b: writes('b', {
        deps: ['a'],
        verify: ['cat a.txt b.txt; cat node_modules/tool; ! test -e built.txt'],
      }),
    });
    const ran = await place.run(server, { sandbox: sandbox() });
    expect(ran.status).toBe('complete');
    expect(Object.keys(place.tree())).toEqual(['a.txt', 'b.txt', 'millrace.yaml']);
    const commands = ran.events.filter(
      (event) => event.type === 'command.started' || event.type === 'command.finished',
    );
    expect(commands).toHaveLength(6);
    expect(commands.every(({ sandboxed }) => sandboxed === true)).toBe(true);
    expect(ran.events.find(({ type }) => type === 'run.started')).toMatchObject({
      sandbox: { hosts: [] },
    });
    expect(projectionOf(ran.events).sandbox).toEqual({ hosts: [] });
    expect(createReplay(ran.events).record.isSandboxed).toBe(true);
  });

  it('is refused when its manifest asks for the sandbox, and the caller knew nothing of it', async () => {
    const place = projectOf(
      feature({ a: writes('a', { verify: ['true'] }) }, { sandboxCommands: true }),
    );
    await expect(place.run(server)).rejects.toThrow('commands run in the sandbox');
    expect(Object.keys(place.tree())).toEqual(['millrace.yaml']);
    expect((await place.run(server, { sandbox: sandbox() })).status).toBe('complete');
  });

  it('ends what is in it when it is stopped', async () => {
    const place = project({ a: writes('a', { verify: ['sleep 600'] }) });
    const stop = new AbortController();
    const ran = await place.run(server, {
      sandbox: sandbox(),
      stop: stop.signal,
      onEvent: ({ type }) => type === 'command.started' && stop.abort(),
    });
    expect(ran.status).toBe('cancelled');
    expect(Object.keys(place.tree())).toEqual(['millrace.yaml']);
  });
});

describe.skipIf(NO_SANDBOX !== undefined)('a check in the sandbox that fails', () => {
  const { server, model, project } = useScriptedProjects();

  it('has its limit and what it tried to reach in what the fix is shown', async () => {
    const fetch = `$MILLRACE_NODE -e 'fetch("http://registry.example.com/").catch(() => {})'`;
    const place = project({
      a: {
        name: 'A',
        owns: ['a.txt'],
        plan: 'Do it.',
        verify: [`${fetch}; grep -q good a.txt || head -c 9000000 /dev/zero >big; sleep 1`],
      },
    });
    model().answer(({ prompt }) =>
      edits(whole('a.txt', prompt.includes('# What went wrong') ? 'good\n' : 'bad\n', 'create')),
    );
    const ran = await place.run(server, {
      sandbox: { ...sandbox(), limits: { diskBytes: 4 * 1024 ** 2 } },
    });
    expect(ran.status).toBe('complete');
    expect(model().calls[1]?.prompt).toContain('tried to reach registry.example.com');
    expect(model().calls[1]?.prompt).toContain('It wrote more than 4 MiB to disk.');
    const failed = ran.events.find((event) => event.type === 'stream.failed');
    expect(failed).toMatchObject({ class: 'verification', mayFix: true });
    expect(JSON.stringify(failed)).toContain('was ended: It wrote more than 4 MiB');
    expect(projectionOf(ran.events).streams.get('a')!.failedCommand?.outcome).toBe(
      'was ended: It wrote more than 4 MiB to disk (sandbox)',
    );
  });
});
