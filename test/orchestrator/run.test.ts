import { describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import { PRICED_MODEL } from '../support/priced-model.ts';
import { verifies } from '../support/verifies.ts';
import { feature, reply } from './project.ts';
import { useProjects } from './use-projects.ts';

const { server, stranger, project, projectOf } = useProjects();

describe('a run', () => {
  it('runs streams in the order of their deps, writes their files and keeps their state', async () => {
    verifies('stream.ready', 'stream.start', 'stream.applied');
    const place = project({
      a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'one\n' }) },
      b: { name: 'B', deps: ['a'], owns: ['b/'], plan: reply({ 'b/c.txt': 'two\n' }) },
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read('a.txt')).toBe('one\n');
    expect(place.read('b/c.txt')).toBe('two\n');
    const { a, b } = place.streams();
    expect(a).toMatchObject({ status: 'complete', attempts: 1 });
    expect(Date.parse(b!.appliedAt!)).toBeGreaterThanOrEqual(Date.parse(a!.appliedAt!));
    expect(ran.totals).toMatchObject({
      streams: { complete: 2 },
      filesChanged: ['a.txt', 'b/c.txt'],
    });
  });

  it('does not run again what was applied', async () => {
    verifies('stream.applied.skipped');
    const place = project({
      a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'one\n' }) },
      b: {
        name: 'B',
        owns: ['b.txt'],
        plan: reply({ 'b.txt': 'x' }),
        appliedAt: '2026-01-01T00:00:00Z',
      },
    });
    await place.run(server);
    expect(place.exists('b.txt')).toBe(false);
    const again = await place.run(server);
    expect(again.status).toBe('complete');
    expect(again.totals.tokens.output).toBe(0);
  });

  it('is in the history of the server with feature, waves, files, tokens and cost', async () => {
    const place = project({
      a: { name: 'First', owns: ['a.txt'], plan: reply({ 'a.txt': 'one\n' }) },
      b: { name: 'B', deps: ['a'], owns: ['b.txt'], plan: 'x [[sim:no-artifact]]' },
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    const { run, streams } = await new MillraceClient(server.url, server.key).getRun(ran.runId);
    expect(run).toMatchObject({ feature: 'test', status: 'failed', waveCount: 2 });
    expect(run.totalCostUsd).toBeGreaterThan(0);
    const byId = Object.fromEntries(streams.map((stream) => [stream.streamId, stream]));
    expect(byId['a']).toMatchObject({
      name: 'First',
      status: 'complete',
      waveNumber: 1,
      filesChanged: ['a.txt'],
    });
    expect(byId['a']!.tokensOutput).toBeGreaterThan(0);
    expect(byId['b']!.status).toBe('failed');
  });

  it('shows the model the owned files as they are on disk', async () => {
    verifies('stream.owns.read-first');
    const place = project(
      { a: { name: 'A', owns: ['a.txt'], plan: 'Change it.' } },
      { 'a.txt': 'the old text\n' },
    );
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    // The simulator edits what it is shown, and would have failed to create it.
    expect(place.read('a.txt')).not.toBe('the old text\n');
  });
});

describe('verification', () => {
  it('runs every command in the project root and collects the results', async () => {
    verifies('stream.verify.all', 'stream.verify.failed', 'stream.commands.root');
    const place = project({
      a: {
        name: 'A',
        owns: ['a.txt'],
        plan: reply({ 'a.txt': 'one\n' }),
        verify: ['test -f a.txt', 'pwd; exit 3', 'echo third; exit 127'],
      },
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    const finished = ran.events.filter((event) => event.type === 'command.finished');
    expect(finished.map(({ exitCode }) => exitCode)).toEqual([0, 3, 127]);
    expect(finished[1]!.output).toContain(place.root);
    expect(place.streams()['a']).toMatchObject({ status: 'failed' });
    expect(place.streams()['a']!.error).toContain('exit');
  });

  it('takes the files back when it fails, and mends the stream with a fix', async () => {
    verifies('stream.fix.rollback', 'stream.fix.name', 'stream.fix.root', 'stream.unblocked');
    const place = project(
      {
        a: {
          name: 'A',
          owns: ['a.txt'],
          plan: `${reply({ 'a.txt': 'bad\n' })} ${reply({ 'a.txt': 'good\n' }, 'a-fix-1')}`,
          verify: ['grep -q good a.txt'],
        },
        b: { name: 'B', deps: ['a'], owns: ['b.txt'], plan: reply({ 'b.txt': 'after\n' }) },
      },
      {},
    );
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read('a.txt')).toBe('good\n');
    const streams = place.streams();
    expect(streams['a']).toMatchObject({ status: 'complete', attempts: 2 });
    expect(streams['a']!.error).toBeUndefined();
    expect(streams['a-fix-1']).toMatchObject({ parentStreamId: 'a', status: 'complete' });
    expect(streams['b']).toMatchObject({ status: 'complete' });
    expect(ran.of('a')).toContain('stream.rolled_back');
    const told = ran.events.filter((event) => event.type === 'stream.status');
    expect(told.map(({ stream, from, to }) => `${stream} ${from} ${to}`)).toEqual([
      'b pending blocked',
      'a failed complete',
      'b blocked pending',
    ]);
  });

  it('gives up after three attempts, and blocks what waits', async () => {
    verifies('stream.fix.attempts', 'stream.blocked');
    const place = project({
      a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'bad\n' }), verify: ['exit 1'] },
      b: { name: 'B', deps: ['a'], plan: 'x' },
      c: { name: 'C', deps: ['a'], plan: 'x', optional: true },
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    const streams = place.streams();
    expect(streams['a']).toMatchObject({ status: 'failed', attempts: 3 });
    expect(Object.keys(streams)).toEqual(['a', 'b', 'c', 'a-fix-1', 'a-fix-2']);
    expect(streams['b']!.status).toBe('blocked');
    expect(streams['c']).toMatchObject({ status: 'skipped', skippedBy: 'a' });
    expect(place.exists('a.txt')).toBe(false);
    expect(ran.totals.fixes).toBe(2);
  });

  it('does not try to mend what a model cannot mend', async () => {
    verifies('stream.fix.retryable');
    const place = project({
      a: {
        name: 'A',
        owns: ['a.txt'],
        plan: reply({ 'a.txt': 'x\n' }),
        verify: ['no-such-command-at-all'],
      },
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    expect(Object.keys(place.streams())).toEqual(['a']);
  });
});

describe('setup', () => {
  it('runs in order before the model is asked, and a failure aborts the stream', async () => {
    verifies('stream.setup.sequential', 'stream.setup.aborts', 'stream.setup.failed');
    const place = project({
      a: {
        name: 'A',
        owns: ['a.txt'],
        plan: reply({ 'a.txt': 'x\n' }),
        setup: ['echo one >> log.txt', 'echo two >> log.txt; exit 4', 'echo three >> log.txt'],
      },
      b: { name: 'B', deps: ['a'], plan: 'x' },
    });
    const ran = await place.run(server);
    expect(place.read('log.txt')).toBe('one\ntwo\n');
    expect(place.streams()['a']).toMatchObject({ status: 'failed', attempts: 1 });
    expect(place.streams()['b']!.status).toBe('blocked');
    expect(place.exists('a.txt')).toBe(false);
    expect(ran.totals.tokens.input).toBe(0);
    expect(ran.totals.fixes).toBe(0);
  });
});

describe('ownership', () => {
  it('rejects an answer that writes what the stream does not own, whole', async () => {
    verifies('stream.owns.conflicts');
    const place = project({
      a: {
        name: 'A',
        owns: ['a.txt'],
        plan: reply({ 'a.txt': 'mine\n', 'other.txt': 'not mine\n' }),
      },
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    expect(Object.keys(place.tree())).toEqual(['millrace.yaml']);
    expect(place.streams()['a']!.error).toContain('other.txt');
  });

  it('never lets an answer write the manifest or the git folder', async () => {
    const place = project({
      a: { name: 'A', plan: reply({ 'millrace.yaml': 'x' }) },
      b: { name: 'B', plan: reply({ '.git/hooks/pre-commit': 'x' }) },
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    expect(place.exists('.git/hooks/pre-commit')).toBe(false);
    expect(place.streams()['a']!.status).toBe('failed');
  });
});

describe('an edit that misses its place', () => {
  const edits = (search: string, replace: string) =>
    `\`\`\`\`millrace-edits\nedit: a.txt\n<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n\`\`\`\``;

  it('is asked for twice more, and fails when it never fits', async () => {
    const plan = `[[sim:reply]]${edits('nowhere', 'x')}[[/sim:reply]]`;
    const place = project({ a: { name: 'A', owns: ['a.txt'], plan } }, { 'a.txt': 'one\ntwo\n' });
    const ran = await place.run(server, { maxAttempts: 1 });
    expect(ran.of('a').filter((type) => type === 'stream.call')).toHaveLength(3);
    expect(ran.status).toBe('failed');
    expect(place.read('a.txt')).toBe('one\ntwo\n');
    expect(place.streams()['a']!.error).toContain('a.txt');
  });
});

describe('notation A', () => {
  const workflow = (commands: object[]) =>
    JSON.stringify({
      name: 'w',
      version: '1.0.0',
      description: 'd',
      streams: {
        a: { description: 'A', plan: reply({ 'a.txt': 'x\n' }), commands },
        b: { description: 'B', plan: reply({ 'b.txt': 'x\n' }) },
      },
    });

  it('goes on after an uncritical failure', async () => {
    verifies('stream.commands.uncritical');
    const place = projectOf(workflow([{ command: 'exit 1', critical: false }]));
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    const finished = ran.events.filter((event) => event.type === 'command.finished');
    expect(finished).toMatchObject([{ ok: false, critical: false }]);
    expect(place.exists('a.txt')).toBe(true);
  });

  it('fails with a critical one', async () => {
    verifies('stream.commands.critical');
    const place = projectOf(workflow([{ command: 'exit 1', critical: true }]));
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    expect(place.exists('a.txt')).toBe(false);
  });
});

describe('limits', () => {
  it('pauses before a call that could pass the budget, and goes on when it is raised', async () => {
    const streams = Object.fromEntries(
      ['a', 'b', 'c'].map((id) => [
        id,
        { name: id, owns: [`${id}.txt`], plan: reply({ [`${id}.txt`]: id }), maxTokens: 1000 },
      ]),
    );
    const place = project(streams);
    const priced = { model: PRICED_MODEL };
    const first = await place.run(server, { ...priced, maxCostUsd: 0.02, concurrency: 1 });
    expect(first.status).toBe('paused');
    expect(first.halt?.kind).toBe('budget');
    expect(first.totals.costUsd).toBeLessThanOrEqual(0.02);
    const second = await place.run(server, { ...priced, maxCostUsd: 10 });
    expect(second.runId).toBe(first.runId);
    expect(second.status).toBe('complete');
    expect(Object.values(place.streams()).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });

  it('counts nothing that is simulated, also not when it is resumed', async () => {
    const place = project({
      a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'a' }), maxTokens: 100_000 },
      b: { name: 'B', deps: ['a'], owns: ['b.txt'], plan: '[[sim:auth]]' },
    });
    const tiny = { maxCostUsd: 0.000_001, maxAttempts: 1 };
    const first = await place.run(server, tiny);
    expect(first).toMatchObject({ status: 'failed', totals: { streams: { complete: 1 } } });
    expect(first.totals.costUsd).toBeGreaterThan(tiny.maxCostUsd);
    const text = place.read('millrace.yaml');
    place.write('millrace.yaml', text.replace('[[sim:auth]]', 'b'));
    const second = await place.run(server, { ...tiny, maxAttempts: 2 });
    expect(second.halt).toBeUndefined();
  });

  it('fails a stream that takes longer than its time, and ends its call', async () => {
    const place = project({
      a: { name: 'A', owns: ['a.txt'], plan: '[[sim:hang]]', timeoutMs: 1000 },
    });
    const ran = await place.run(server, { maxAttempts: 1 });
    expect(ran.status).toBe('failed');
    expect(place.streams()['a']!.error).toContain('1000 ms');
  });

  it('stops when asked to, cancels its calls and can be run again', async () => {
    const stop = new AbortController();
    const place = project({ a: { name: 'A', owns: ['a.txt'], plan: '[[sim:hang]]' } });
    const ran = await place.run(server, {
      stop: stop.signal,
      onEvent: (event) => {
        if (event.type === 'stream.job') stop.abort();
      },
    });
    expect(ran.status).toBe('cancelled');
    expect(place.streams()['a']!.status).toBe('pending');
  });

  it('pauses when the server cannot be reached', async () => {
    const place = project({ a: { name: 'A', plan: 'x' } });
    const client = new MillraceClient('http://127.0.0.1:9', 'mill_sk_x', { maxRetries: 0 });
    const ran = await place.run(server, { client });
    expect(ran).toMatchObject({ status: 'paused', halt: { kind: 'unreachable' } });
    expect(place.streams()['a']!.status).toBe('pending');
  });

  it('pauses when the key is not accepted', async () => {
    const place = project({ a: { name: 'A', plan: 'x' } });
    const client = new MillraceClient(server.url, 'mill_sk_wrong');
    const ran = await place.run(server, { client });
    expect(ran).toMatchObject({ status: 'paused', halt: { kind: 'not_authorised' } });
  });
});

describe('a choice of streams', () => {
  const three = () =>
    project({
      a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'a' }) },
      b: { name: 'B', deps: ['a'], owns: ['b.txt'], plan: reply({ 'b.txt': 'b' }) },
      c: { name: 'C', deps: ['b'], owns: ['c.txt'], plan: reply({ 'c.txt': 'c' }) },
    });
  const none = { only: [], from: [], skip: [] };

  it('runs only what was named', async () => {
    const place = three();
    const ran = await place.run(server, { selection: { ...none, only: ['b'] } });
    expect(ran.status).toBe('complete');
    expect(Object.keys(place.tree())).toEqual(['b.txt', 'millrace.yaml']);
    expect(place.streams()['a']!.status ?? 'pending').toBe('pending');
  });

  it('runs a stream and all behind it again', async () => {
    const place = three();
    await place.run(server);
    place.write('b.txt', 'b');
    const ran = await place.run(server, { selection: { ...none, from: ['b'] } });
    expect(ran.of('a')).toEqual([]);
    expect(ran.of('b')).toContain('stream.completed');
    expect(ran.of('c')).toContain('stream.completed');
  });

  it('takes a skipped stream for done', async () => {
    verifies('stream.skip.user');
    const place = three();
    const ran = await place.run(server, { selection: { ...none, skip: ['a'] } });
    expect(ran.status).toBe('complete');
    expect(place.streams()['a']!.status).toBe('skipped');
    expect(place.exists('a.txt')).toBe(false);
    expect(place.exists('c.txt')).toBe(true);
  });
});

describe('a manifest that is edited during the run', () => {
  it('is merged: what has not started runs as it says now, and comments stay', async () => {
    const place = project({
      a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'a' }), verify: ['sleep 1'] },
      b: { name: 'B', deps: ['a'], owns: ['b.txt'], plan: reply({ 'b.txt': 'old' }) },
    });
    const ran = await place.run(server, {
      onEvent: (event) => {
        if (event.type !== 'stream.applied' || event.stream !== 'a') return;
        const text = place.read('millrace.yaml').replace(JSON.stringify('old').slice(1, -1), 'new');
        place.write('millrace.yaml', `# Mine\n${text}`);
      },
    });
    expect(ran.status).toBe('complete');
    expect(place.read('b.txt')).toBe('new');
    expect(place.read('millrace.yaml')).toMatch(/^# Mine\n/);
    expect(place.streams()['b']).toMatchObject({ status: 'complete', attempts: 1 });
    const notes = ran.events.filter((event) => event.type === 'run.note');
    expect(notes.map(({ code }) => code)).toEqual(['MANIFEST_EDITED']);
  });
});

describe('a lock', () => {
  it('keeps a second run of the same project out', async () => {
    const place = project({ a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'a' }) } });
    let refused: unknown;
    const ran = await place.run(server, {
      onEvent: (event) => {
        if (event.type === 'stream.started') refused = place.run(server).catch((e: unknown) => e);
      },
    });
    expect(ran.status).toBe('complete');
    expect(await refused).toMatchObject({ name: 'RunLockedError', holder: { runId: ran.runId } });
  });
});

describe('shared context', () => {
  const shared = 'A long text that all of them read. '.repeat(400);
  const many = () =>
    projectOf(
      feature(
        Object.fromEntries(
          ['a', 'b', 'c', 'd'].map((id) => [
            id,
            {
              name: id,
              owns: [`${id}.txt`],
              reads: ['shared.md'],
              plan: `${reply({ [`${id}.txt`]: id })} [[sim:delay 200]]`,
            },
          ]),
        ),
      ),
      { 'shared.md': shared },
    );

  it('is cached by the first stream, and the others pay little for it', async () => {
    const warm = many();
    const cold = many();
    const model = 'sim-warm-test';
    const first = await warm.run(server, { model });
    const without = await cold.run(await stranger(), { model, warm: false });
    expect(first.totals.tokens.cachedInput).toBeGreaterThan(0);
    expect(first.totals.tokens.cachedInput).toBeGreaterThan(without.totals.tokens.cachedInput);
    expect(first.totals.costUsd!).toBeLessThan(without.totals.costUsd!);
  });
});

describe('artifacts that are not applied', () => {
  it('are kept, and the manifest stays as it was', async () => {
    const place = project({ a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'a' }) } });
    const ran = await place.run(server, { apply: 'never' });
    expect(ran.status).toBe('complete');
    expect(place.exists('a.txt')).toBe(false);
    expect(place.streams()['a']!.appliedAt).toBeUndefined();
    expect(place.streams()['a']!.status).toBe('pending');
  });
});
