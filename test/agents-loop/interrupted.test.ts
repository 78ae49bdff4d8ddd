// Runs of the built-in agent that are cut off, stopped, or come to what they may cost.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NO_SANDBOX, call, calls, done, said, shown, turns, useLoop } from './loop-projects.ts';

const SCRIPT = fileURLToPath(new URL('./crash-loop.ts', import.meta.url));
const CHECK = 'grep -q good src/a.txt';

const WORK = turns(
  calls(call('read', { path: 'src/a.txt' })),
  calls(call('edit', { path: 'src/a.txt', edits: [{ oldText: 'bad', newText: 'goo' }] })),
  calls(call('run', { command: CHECK }), call('write', { path: 'src/b.txt', content: 'b\n' })),
  calls(call('edit', { path: 'src/a.txt', edits: [{ oldText: 'goo', newText: 'good' }] })),
  done(),
);

describe.skipIf(NO_SANDBOX !== undefined)('a run of the built-in agent that is interrupted', () => {
  const { server, model, project, options, agents, stream, home } = useLoop();

  async function crash(root: string, type: string, count: number): Promise<void> {
    const args = [SCRIPT, root, server.url, server.key, home(), type, String(count)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal, `${type} ${count}`).toBe('SIGKILL');
  }

  it.each([
    ['stream.call', 3],
    ['stream.job', 2],
    ['agent.tool', 2],
    ['agent.tool', 6],
    ['stream.applied', 1],
  ] as const)('resumes after kill -9 at %s %i, and pays for no turn twice', async (type, count) => {
    const place = project(
      { a: stream({ verify: [CHECK] }) },
      { 'src/a.txt': 'bad\n', 'src/other.txt': 'before\n' },
    );
    model().answer(WORK);
    await crash(place.root, type, count);
    // What the person does meanwhile is in the fresh copy.
    place.write('src/other.txt', 'after\n');
    const ran = await place.run(server, options());
    expect(ran.status).toBe('complete');
    expect(place.tree()).toMatchObject({
      'src/a.txt': 'good\n',
      'src/b.txt': 'b\n',
      'src/other.txt': 'after\n',
    });
    expect(model().calls).toHaveLength(5);
    const state = join(home(), 'state', 'sandboxes');
    expect(readdirSync(state)).toEqual([]);
  });

  it.each([2, 4])(
    'says so when a change of before cannot be made again, killed at tool %i',
    async (count) => {
      const place = project({ a: stream() }, { 'src/a.txt': 'bad\n' });
      model().answer(
        turns(
          calls(call('edit', { path: 'src/a.txt', edits: [{ oldText: 'bad', newText: 'goo' }] })),
          calls(call('read', { path: 'src/a.txt' })),
          calls(call('write', { path: 'src/b.txt', content: 'b\n' })),
          done(),
        ),
      );
      await crash(place.root, 'agent.tool', count);
      place.write('src/a.txt', 'other\n');
      expect((await place.run(server, options())).status).toBe('complete');
      const words = said(model().calls[count]!).at(-1);
      expect(words).toContain('could not be made again: src/a.txt');
      expect(place.read('src/a.txt')).toBe('other\n');
    },
  );

  it.each([
    ['while a command runs', 'agent.turn'],
    ['while the model answers', 'stream.job'],
  ])('is stopped %s within two seconds', async (_, type) => {
    const stop = new AbortController();
    const place = project({ a: stream({ verify: ['sleep 600'] }) }, { 'src/a.txt': 'a\n' });
    const waits = Promise.withResolvers<void>();
    model().answer(async () => {
      if (type === 'stream.job') await waits.promise;
      return calls(call('run', { command: 'sleep 600' }));
    });
    let since = 0;
    const ran = await place.run(
      server,
      options({
        stop: stop.signal,
        onEvent: (event) => {
          if (event.type !== type) return;
          setTimeout(() => {
            since = performance.now();
            stop.abort();
          }, 300);
        },
      }),
    );
    const took = performance.now() - since;
    waits.resolve();
    expect(ran.status).toBe('cancelled');
    expect(took).toBeLessThan(2000);
    expect(place.read('src/a.txt')).toBe('a\n');
  });

  it('fails at the cap of its stream, and pauses at that of the run', async () => {
    // Each turn reserves what its longest answer costs.
    const forever = ({ number }: { number: number }) =>
      calls(call('read', { path: 'src/a.txt', from: 1, count: number }));
    model().answer(forever);
    const capped = project({ a: stream({ maxCostUsd: 0.000_001 }) }, { 'src/a.txt': 'a\n' });
    const ofStream = await capped.run(server, options({ maxAttempts: 1 }));
    expect(ofStream.status).toBe('failed');
    expect(capped.streams()['a']!.error).toContain('maxCostUsd');
    expect(model().calls).toHaveLength(0);
    const place = project({ a: stream() }, { 'src/a.txt': 'a\n' });
    const ofRun = await place.run(server, options({ maxAttempts: 1, maxCostUsd: 0.03 }));
    expect(ofRun).toMatchObject({ status: 'paused', halt: { kind: 'budget' } });
    const paid = model().calls.length;
    expect(paid).toBeGreaterThan(0);
    // With more money it resumes where it was.
    model().answer(
      turns(
        ...Array<ReturnType<typeof done>>(paid).fill(done()),
        calls(call('write', { path: 'src/b', content: 'b' })),
        done(),
      ),
    );
    const resumed = await place.run(server, options({ maxCostUsd: 5 }));
    expect(resumed.status).toBe('complete');
    expect(model().calls).toHaveLength(paid + 2);
    expect(shown(model().calls.at(-1)!)).toHaveLength(paid + 1);
  });

  it('fails when its time is over', async () => {
    const place = project(
      { a: stream({ timeoutMs: 3000, verify: ['sleep 600'] }) },
      { 'src/a.txt': 'a\n' },
    );
    model().answer(() => calls(call('run', { command: 'sleep 600' })));
    const ran = await place.run(server, options({ maxAttempts: 1, agents: agents() }));
    expect(ran.status).toBe('failed');
    expect(place.streams()['a']!.error).toContain('Timed out');
  });

  it('fails with the cause when the vendor turns it away after every wait, and pays nothing twice', async () => {
    const place = project({ a: stream({ timeoutMs: 35_000 }) }, { 'src/a.txt': 'a\n' });
    const made = call('read', { path: 'src/a.txt' });
    const look = calls(made);
    const limited = { text: 'Slow down', status: 429, retryAfter: 20 };
    model().answer(({ number }) => (number === 1 ? look : limited));
    const ran = await place.run(server, options({ maxAttempts: 1 }));
    expect(ran.status).toBe('failed');
    expect(place.streams()['a']!.error).toContain('429');
    // Each wait was kept, and none that would end after the time of the stream was begun.
    expect(model().calls.length).toBeGreaterThan(2);
    expect(model().calls.length).toBeLessThanOrEqual(4);
    const end = ran.events.at(-1) as { totals: { tokens: { output: number } } };
    const written = Math.ceil(JSON.stringify([made]).length / 4);
    expect(end.totals.tokens.output).toBe(written);
  });
});
