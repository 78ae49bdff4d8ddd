// What people and machines do to a run while it is on, or between two processes of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MillraceClient, MillraceConnectionError } from '../../src/client/index.ts';
import { defaultWorld } from '../../src/client/world.ts';
import { waitUntil } from '../support/processes.ts';
import { feature, reply } from './project.ts';
import { PRICED_MODEL } from '../support/priced-model.ts';
import { acceptAll, useProjects, writes } from './use-projects.ts';

const CRASH = fileURLToPath(new URL('./crash-run.ts', import.meta.url));

const { server, project } = useProjects();

describe('an edit of the manifest during the run', () => {
  const edited = (change: (streams: Record<string, Record<string, unknown>>) => void) => {
    const place = project({
      a: writes('a', { verify: ['true'] }),
      b: writes('b', { deps: ['a'], verify: ['true'] }),
    });
    const ran = place.run(server, {
      onEvent: (event) => {
        if (event.type !== 'stream.applied' || event.stream !== 'a') return;
        const streams = place.streams() as Record<string, Record<string, unknown>>;
        change(streams);
        place.write('millrace.yaml', feature(streams));
      },
    });
    return { place, ran };
  };

  it('does not get a command run that nobody has approved', async () => {
    const { place, ran } = edited((streams) => {
      streams['b']!['verify'] = ['echo gotcha > sneaked.txt'];
    });
    const { status, events } = await ran;
    expect(status).toBe('complete');
    expect(place.exists('sneaked.txt')).toBe(false);
    const notes = events.filter((event) => event.type === 'run.note' && event.level === 'warning');
    expect(notes).toMatchObject([{ code: 'MANIFEST_EDITED' }]);
    expect(notes[0]).toMatchObject({ message: expect.stringContaining('approved') as string });
  });

  it('leaves out a stream that was taken from it', async () => {
    const { place, ran } = edited((streams) => delete streams['b']);
    const { status, totals } = await ran;
    expect(status).toBe('complete');
    expect(place.exists('b.txt')).toBe(false);
    expect(totals.streams).toMatchObject({ complete: 1, skipped: 1 });
  });

  it('cannot bring in a command between the question and the start', async () => {
    const place = project({ a: writes('a', { verify: ['true'] }) });
    const run = place.run(server, { commands: new Set(['other']) });
    await expect(run).rejects.toThrow('"true" is not approved');
    expect(place.exists('a.txt')).toBe(false);
  });
});

describe('a stream that has to wait', () => {
  it('says for how long and why while the server asks to slow down, or fails', async () => {
    const place = project({ a: writes('a') });
    const refusals = [429, 503];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const isCall = typeof input === 'string' && input.endsWith('/api/v1/execute');
      const status = isCall ? refusals.shift() : undefined;
      if (status === undefined) return globalThis.fetch(input, init);
      const error = { code: 'NOT_NOW', message: 'Not now.' };
      return Response.json({ error }, { status, headers: { 'retry-after': '0' } });
    };
    const world = { ...defaultWorld, fetch };
    const client = new MillraceClient(server.url, server.key, { world });
    const { status, events } = await place.run(server, { client });
    expect(status).toBe('complete');
    const waits = events.filter(({ type }) => type === 'stream.waiting');
    expect(waits).toMatchObject([
      { stream: 'a', attempt: 1, reason: 'rate_limited', detail: 'Not now.' },
      { stream: 'a', attempt: 1, reason: 'retry', until: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
  });

  it('says what its job waits for on the server', async () => {
    const place = project({ a: writes('a', { plan: '[[sim:fail 1 overloaded retry-after=2]]' }) });
    const { status, events } = await place.run(server, { isLive: true });
    expect(status).toBe('complete');
    const wait = events.find(({ type }) => type === 'stream.waiting');
    expect(wait).toMatchObject({ stream: 'a', reason: 'retry', until: expect.any(String) });
  });

  it('says that others write and check their files, and that a person is to look at its own', async () => {
    const place = project({ a: writes('a'), b: writes('b') });
    let isWaiting = false;
    const { events } = await place.run(server, {
      apply: 'review',
      onEvent: (event) =>
        (isWaiting ||= event.type === 'stream.waiting' && event.reason === 'files'),
      // The first one keeps the files until the other one asks for them.
      review: async (_, files) => {
        await waitUntil(() => isWaiting, 'the other stream');
        return acceptAll(files);
      },
    });
    const waits = events.flatMap((event) =>
      event.type === 'stream.waiting' ? [event.reason] : [],
    );
    expect(waits.toSorted()).toEqual(['files', 'review', 'review']);
  });
});

describe('a run that is stopped while a submit is under way', () => {
  it('cancels the job that the server has made of it', async () => {
    const place = project({ a: writes('a', { plan: '[[sim:hang]]' }) });
    const stop = new AbortController();
    let jobId: string | undefined;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const isCall = typeof input === 'string' && input.endsWith('/api/v1/execute');
      const isFirst = isCall && jobId === undefined;
      if (!isFirst) return globalThis.fetch(input, init);
      // Accepted there, but the reply is lost on its way.
      const reply = await globalThis.fetch(input, { ...init, signal: null });
      ({ jobId } = (await reply.json()) as { jobId: string });
      stop.abort();
      throw new DOMException('aborted', 'AbortError');
    };
    const client = new MillraceClient(server.url, server.key, {
      world: { ...defaultWorld, fetch },
    });
    const { status } = await place.run(server, { client, stop: stop.signal });
    expect(status).toBe('cancelled');
    const job = await new MillraceClient(server.url, server.key).getJobDetails(jobId!);
    expect(job).toMatchObject({ status: 'failed', errorCode: 'CANCELLED' });
  });
});

describe('a call that a halt cut off', () => {
  it('is counted when the run goes on', async () => {
    const calm = await project({ a: writes('a') }).run(server);
    const place = project({ a: writes('a') });
    const client = new MillraceClient(server.url, 'mill_sk_wrong');
    const first = await place.run(server, { client });
    expect(first).toMatchObject({ status: 'paused', totals: { costUsd: 0 } });
    expect(first.totals.streams).toMatchObject({ pending: 1, in_progress: 0 });
    expect(first.events.filter(({ type }) => type === 'run.note')).toEqual([]);
    const second = await place.run(server);
    expect(second.status).toBe('complete');
    expect(second.totals.tokens).toEqual(calm.totals.tokens);
  });

  it('is made anew when its job was cancelled meanwhile', async () => {
    const place = project({ a: writes('a', { plan: `${writes('a').plan} [[sim:delay 1500]]` }) });
    const real = new MillraceClient(server.url, server.key);
    const client = new MillraceClient(server.url, server.key);
    client.getJobDetails = async () => {
      throw new MillraceConnectionError('gone');
    };
    const first = await place.run(server, { client });
    expect(first.status).toBe('paused');
    const job = first.events.find((event) => event.type === 'stream.job');
    await real.cancelJob(job!.jobId);
    const second = await place.run(server);
    expect(second.status).toBe('complete');
    expect(place.read('a.txt')).toBe('a\n');
    expect(place.streams()['a']).toMatchObject({ status: 'complete', attempts: 1 });
  });
});

describe('the time of a stream', () => {
  it('stands still while a person looks through its changes', async () => {
    const timeoutMs = 3000;
    const place = project({ a: writes('a', { timeoutMs }), b: writes('b', { timeoutMs }) });
    const ran = await place.run(server, {
      apply: 'review',
      maxAttempts: 1,
      review: async (_, files) => {
        await delay(timeoutMs + 300);
        return acceptAll(files);
      },
    });
    expect(ran.status).toBe('complete');
  });
});

describe('the budget', () => {
  it('lets a call wait for what others give back, rather than pause the run', async () => {
    const place = project({
      a: writes('a', { maxTokens: 1000 }),
      b: writes('b', { maxTokens: 1000 }),
      c: writes('c', { maxTokens: 1000 }),
    });
    const ran = await place.run(server, { model: PRICED_MODEL, maxCostUsd: 0.035, concurrency: 3 });
    expect(ran.status).toBe('complete');
    expect(ran.totals.costUsd).toBeLessThanOrEqual(0.035);
  });

  it('is not kept by guessing: a model without a price is not asked under a limit', async () => {
    const place = project({ a: writes('a') });
    const model = 'claude-without-a-price';
    const ran = await place.run(server, { model, maxCostUsd: 5, priceOf: () => null });
    expect(ran).toMatchObject({ status: 'paused', halt: { kind: 'model' } });
    expect(ran.halt?.reason).toContain(`no price is known for ${model}`);
    expect(ran.of('a')).not.toContain('stream.job');
  });
});

describe('a fix', () => {
  const failing = (id: string) =>
    writes(id, { owns: ['x.txt'], plan: reply({ 'x.txt': 'x' }), verify: ['exit 1'] });

  it('never takes the id of another stream', async () => {
    const place = project({ a: failing('a'), 'a-fix-1': writes('own', { deps: ['a'] }) });
    const ran = await place.run(server, { maxAttempts: 2 });
    expect(ran.status).toBe('failed');
    const streams = place.streams();
    expect(streams['a-fix-1']).toMatchObject({ status: 'blocked' });
    expect(streams['a-fix-1-2']).toMatchObject({ status: 'failed', parentStreamId: 'a' });
  });

  it('has an id that is valid, also of a stream with the longest one', async () => {
    const id = 'z'.repeat(128);
    const place = project({ [id]: failing(id) });
    await place.run(server, { maxAttempts: 2 });
    const again = await place.run(server, { maxAttempts: 1 });
    expect(again.status).toBe('failed');
    expect(place.streams()[id]!.error).toContain('exit 1');
  });

  it('is not made by a run that goes on when no attempt is left', async () => {
    const place = project({ a: failing('a'), b: writes('b', { maxTokens: 100_000 }) });
    const model = PRICED_MODEL;
    const first = await place.run(server, { model, maxAttempts: 1, maxCostUsd: 0.5 });
    expect(first.status).toBe('paused');
    const second = await place.run(server, { maxAttempts: 1 });
    expect(second.status).toBe('failed');
    expect(Object.keys(place.streams())).toEqual(['a', 'b']);
  });
});

describe('a stream that was taken from the manifest between two processes', () => {
  it('does not count any more, and its unchecked files are taken back', async () => {
    const streams = { a: writes('a', { verify: ['true'] }), b: writes('b', { deps: ['a'] }) };
    const calm = await project(streams).run(server);
    const { seq } = calm.events.find(({ type }) => type === 'stream.applied')!;
    const place = project(streams);
    const args = [CRASH, place.root, server.url, server.key, String(seq)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(place.exists('a.txt')).toBe(true);
    place.write('millrace.yaml', feature({ b: writes('b') }));
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.exists('a.txt')).toBe(false);
    expect(ran.totals.streams).toMatchObject({ complete: 1, skipped: 1, in_progress: 0 });
  });
});

describe('the state of a run', () => {
  it('is told once when the manifest cannot take it', async () => {
    const place = project({
      a: writes('a', { verify: ['sleep 1'] }),
      b: writes('b', { deps: ['a'], verify: ['sleep 1'] }),
    });
    const before = place.read('millrace.yaml');
    const ran = await place.run(server, {
      onEvent: (event) => {
        if (event.type === 'stream.applied' && event.stream === 'a') {
          place.write('millrace.yaml', 'streams: [');
        }
      },
    });
    expect(ran).toMatchObject({ status: 'paused', halt: { kind: 'manifest' } });
    const notes = ran.events.filter((event) => event.type === 'run.note');
    expect(notes.map(({ code }) => code)).toEqual(['MANIFEST_NOT_WRITTEN']);
    expect(notes[0]!.message).toContain('millrace.yaml');
    // Once it can be written again, nothing is done or paid for a second time.
    place.write('millrace.yaml', before);
    const again = await place.run(server);
    expect(again).toMatchObject({ runId: ran.runId, status: 'complete' });
    expect(again.totals.tokens).toEqual(ran.totals.tokens);
    expect(place.streams()['b']).toMatchObject({ status: 'complete', attempts: 1 });
  });
});

describe('a model that cannot be asked', () => {
  it('stops the run, with what to do', async () => {
    const place = project({ a: writes('a'), b: writes('b') });
    const unknown = await place.run(server, { model: 'no-such-model' });
    expect(unknown).toMatchObject({ status: 'paused', halt: { kind: 'model' } });
    const noKey = await place.run(server, { model: 'gpt-x' });
    expect(noKey.halt?.reason).toContain('millrace keys add openai');
    expect(place.streams()['a']).toMatchObject({ status: 'pending' });
    expect((await place.run(server)).status).toBe('complete');
  });
});
