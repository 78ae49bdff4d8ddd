// Failures that another answer, or another try, can heal.
import { describe, expect, it } from 'vitest';
import { edits, replace, useScriptedProjects, whole } from './scripted-projects.ts';

const { server, model, project, workflow } = useScriptedProjects();

describe('a workflow whose critical command fails', () => {
  const check = { command: 'grep -q good a.txt', critical: true };

  it('is healed by a fix, of which the file knows nothing', async () => {
    const place = workflow({ a: { description: 'Do A', plan: 'Do it.', commands: [check] } });
    const before = place.read('millrace.yaml');
    model().answer(({ prompt }) =>
      edits(whole('a.txt', prompt.includes('# What went wrong') ? 'good\n' : 'bad\n', 'create')),
    );
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(ran.totals.fixes).toBe(1);
    expect(place.read('a.txt')).toBe('good\n');
    expect(place.read('millrace.yaml')).toBe(before);
    // It is done, and stays so.
    const again = await place.run(server);
    expect(again.events.map(({ type }) => type)).not.toContain('stream.started');
  });

  it('fails when its attempts are used up', async () => {
    const place = workflow({ a: { description: 'Do A', plan: 'Do it.', commands: [check] } });
    model().answer(() => edits(whole('a.txt', 'bad\n', 'create')));
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    expect(model().calls).toHaveLength(3);
    expect(place.exists('a.txt')).toBe(false);
  });
});

describe('a later stream that drops what an earlier one did', () => {
  const streams = {
    a: { name: 'A', owns: ['f.txt'], plan: 'Add a.', verify: ['grep -q from-a f.txt'] },
    b: { name: 'B', owns: ['f.txt'], plan: 'Add b.', verify: ['grep -q from-b f.txt'] },
  };
  const forgetful = ({ prompt }: { prompt: string }) => {
    if (prompt.includes('# Task: A')) return edits(replace('f.txt', 'start', 'start\nfrom-a'));
    return prompt.includes('# What went wrong')
      ? edits(replace('f.txt', 'from-a', 'from-a\nfrom-b'))
      : edits(replace('f.txt', 'start\nfrom-a', 'start\nfrom-b'));
  };

  it('fails with the check of the earlier one, and is healed', async () => {
    const place = project(streams, { 'f.txt': 'start\n' });
    model().answer(forgetful);
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read('f.txt')).toBe('start\nfrom-a\nfrom-b\n');
    const rechecks = ran.events.filter(
      (event) => event.type === 'command.finished' && event.phase === 'recheck',
    );
    expect(rechecks).toMatchObject([
      { stream: 'b', checks: 'a', ok: false },
      { stream: 'b-fix-1', checks: 'a', ok: true },
    ]);
  });

  it('is not looked at when nobody wants that', async () => {
    const place = project(streams, { 'f.txt': 'start\n' });
    model().answer(forgetful);
    expect((await place.run(server, { recheck: false })).status).toBe('complete');
    expect(place.read('f.txt')).toBe('start\nfrom-b\n');
  });
});

describe('a vendor that is down', () => {
  it('is asked again as the attempts allow', async () => {
    const place = project({ a: { name: 'A', owns: ['a.txt'], plan: 'Do it.' } });
    let isDown = true;
    model().answer(() => {
      if (isDown) throw new Error('down');
      return edits(whole('a.txt', 'x\n', 'create'));
    });
    const ran = await place.run(server, {
      retryWaitMs: 1,
      onEvent: ({ type }) => {
        if (type === 'stream.failed') isDown = false;
      },
    });
    expect(ran.status).toBe('complete');
    expect(ran.of('a')).toContain('stream.status');
    expect(place.streams()).toMatchObject({ a: { status: 'complete', attempts: 2 } });
    expect(Object.keys(place.streams())).toEqual(['a']);
  });

  it('fails the stream when it never comes back', async () => {
    const place = project({ a: { name: 'A', owns: ['a.txt'], plan: 'Do it.' } });
    model().answer(() => {
      throw new Error('down');
    });
    const ran = await place.run(server, { retryWaitMs: 1, maxAttempts: 2 });
    expect(ran.status).toBe('failed');
    expect(ran.of('a').filter((type) => type === 'stream.started')).toHaveLength(2);
  });
});

describe('streams that are checked side by side', () => {
  it('each have ports and a name of their own, and wait for nobody', async () => {
    const meet = (me: string, other: string) =>
      `echo $MILLRACE_PORT_BASE > ${me}.port; echo $MILLRACE_STREAM > ${me}.name; ` +
      `for i in $(seq 600); do test -e ${other}.port && exit 0; sleep 0.1; done; exit 1`;
    const stream = (me: string, other: string) => ({
      name: me,
      owns: [`${me}.txt`],
      plan: `Write ${me}.`,
      verify: [meet(me, other)],
    });
    const place = project({ a: stream('a', 'b'), b: stream('b', 'a') });
    model().answer(({ prompt }) => {
      const name = prompt.includes('# Task: a') ? 'a' : 'b';
      return edits(whole(`${name}.txt`, 'x\n', 'create'));
    });
    const ran = await place.run(server, { verifyConcurrency: 2, maxAttempts: 1 });
    expect(ran.status).toBe('complete');
    expect(place.read('a.name')).toBe('a\n');
    expect(place.read('a.port')).not.toBe(place.read('b.port'));
  });

  it('do not write a file that another one is being checked with', async () => {
    const command = 'sed -i s/open/closed/ f.txt; sleep 0.3; grep -q closed f.txt';
    const stream = (name: string) => ({
      description: name,
      plan: `Write ${name}.`,
      context: { files: ['f.txt'] },
      commands: [{ command, critical: true }],
    });
    const place = workflow({ a: stream('A'), b: stream('B') }, { 'f.txt': 'top\n' });
    model().answer(({ prompt }) => {
      const name = prompt.includes('# Task: A') ? 'A' : 'B';
      return edits(replace('f.txt', 'top', `top\n${name} open`));
    });
    const ran = await place.run(server, { verifyConcurrency: 2, maxAttempts: 1 });
    expect(ran.status).toBe('complete');
    expect(place.read('f.txt').split('\n').sort()).toEqual(['', 'A closed', 'B closed', 'top']);
  });
});
