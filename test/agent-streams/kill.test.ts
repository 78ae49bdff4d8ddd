// Agents whose run is stopped, or not resumed, and a server that restarts under them: nothing is left or lost. What is killed is
// in crash.test.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { feature, reply } from '../orchestrator/project.ts';
import type { Project } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { MAIN, cleanEnv, runCli } from '../support/cli.ts';
import { PRICED_MODEL } from '../support/priced-model.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import { startRun } from './command.ts';
import { USAGE, leftIn, processesWith, useAgents } from './world.ts';

const SLOW = `read(); const name = process.argv[1].match(/(\\w+)\\.mjs$/)[1];
  await call(); await sleep(400); write(name + '.txt', name); await call();`;
const GOLD = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' };

describe.skipIf(NO_SANDBOX !== undefined)('a run with agents', () => {
  const world = useAgents();
  const programs = () => join(world.base(), 'programs');
  const state = () => join(world.base(), 'home', '.local', 'state', 'millrace');

  function settings(url = world.server.url): Record<string, string> {
    const config = join(world.base(), 'config');
    mkdirSync(config, { recursive: true });
    const agents = ['a', 'b', 'c', 'stuck'].map(
      (name) => `  ${name}: {command: [${join(programs(), `${name}.mjs`)}], protocol: stdin}`,
    );
    writeFileSync(join(config, 'config.yaml'), `agents:\n${agents.join('\n')}\n`, { mode: 0o600 });
    return {
      HOME: join(world.base(), 'home'),
      XDG_STATE_HOME: '',
      MILLRACE_CONFIG_DIR: config,
      MILLRACE_URL: url,
      MILLRACE_API_KEY: world.server.key,
    };
  }

  const project = (): Project => {
    for (const name of ['a', 'b', 'c']) world.agent(name, SLOW);
    const stream = (name: string, deps: string[] = []) => ({
      name,
      plan: 'Write.',
      agent: name,
      owns: [`${name}.txt`],
      deps,
      verify: [`grep -q ${name} ${name}.txt`],
    });
    return world.project({ a: stream('a'), b: stream('b', ['a']), c: stream('c') });
  };

  const start = (place: Project, url?: string, more: string[] = []) =>
    startRun(place, settings(url), more);

  async function expectNothingLeft(): Promise<void> {
    await waitUntil(() => processesWith(programs()).length === 0);
  }

  it.each(['ctrl-c', 'stop'])('ends at %s with all its calls', async (how) => {
    world.agent('stuck', `await call(); const ping = call(); await sleep(1e6);`);
    const place = world.project({ s: { name: 's', plan: 'x', agent: 'stuck', owns: ['s'] } });
    const run = start(place);
    await run.until(({ type }) => type === 'agent.turn');
    const from = performance.now();
    if (how === 'ctrl-c') run.child.kill('SIGINT');
    else {
      const child = spawn(process.execPath, [MAIN, 'stop'], {
        cwd: place.root,
        env: cleanEnv(settings()),
        stdio: 'ignore',
      });
      await once(child, 'close');
    }
    expect(await run.ended).toBe(130);
    const took = performance.now() - from;
    expect(processesWith(programs())).toEqual([]);
    expect(leftIn(state())).toEqual([]);
    expect(run.events.at(-1)!.type).toBe('run.cancelled');
    // About a tenth of it is usual; what must not be waited for is a call or the silence of an agent.
    expect(took).toBeLessThan(20_000);
    expect(Object.keys(place.tree())).toEqual(['millrace.yaml']);
  });

  it('that is not resumed after a crash has the tokens of its agents ended, and what they used counted', async () => {
    world.agent('stuck', `await call(); await sleep(1e6);`);
    world.agent('a', SLOW);
    const place = world.project({
      s: { name: 's', plan: 'x', agent: 'stuck', owns: ['s'] },
      a: { name: 'a', plan: 'x', agent: 'a', owns: ['a.txt'], deps: ['s'] },
    });
    const first = start(place);
    const started = await first.until(({ type }) => type === 'run.started');
    await first.until(({ type }) => type === 'agent.turn');
    first.child.kill('SIGKILL');
    await first.ended;
    const next = start(place, undefined, ['--only', 'a']);
    expect(await next.ended, JSON.stringify(next.events)).toBe(0);
    const { runId } = started as { runId: string };
    const { rows } = await world
      .node()
      .db.query<{ open: string }>(
        'select count(*) filter (where ended_at is null) as open from stream_tokens where run_id = $1',
        [runId],
      );
    expect(Number(rows[0]!.open)).toBe(0);
    const { body } = await world.node().call('GET', `/api/v1/history/${runId}`, {
      key: world.server.key,
    });
    const listed = body['streams'] as { streamId: string; tokensOutput: number }[];
    const stuck = listed.find(({ streamId }) => streamId === 's');
    expect(stuck).toMatchObject({ tokensOutput: USAGE.output });
    await expectNothingLeft();
  });

  it('that is reverted after a crash has the tokens of its agents ended as well', async () => {
    world.agent('stuck', `await call(); await sleep(1e6);`);
    world.agent('a', SLOW);
    const place = world.project({
      a: { name: 'a', plan: 'x', agent: 'a', owns: ['a.txt'] },
      s: { name: 's', plan: 'x', agent: 'stuck', owns: ['s'], deps: ['a'] },
    });
    const run = start(place);
    const started = await run.until(({ type }) => type === 'run.started');
    await run.until((event) => event.type === 'agent.turn' && event.stream === 's');
    run.child.kill('SIGKILL');
    await run.ended;
    const reverted = await runCli(['-C', place.root, 'revert'], settings());
    expect(reverted.code, reverted.stderr).toBe(0);
    const { runId } = started as { runId: string };
    const { rows } = await world
      .node()
      .db.query('select id from stream_tokens where run_id = $1 and ended_at is null', [runId]);
    expect(rows).toEqual([]);
    const status = await runCli(['-C', place.root, 'status', '--json'], settings());
    expect(JSON.parse(status.stdout).streams.s.tokens.output).toBe(USAGE.output);
    await expectNothingLeft();
  });

  it('begins a stream anew that has another worker by now', async () => {
    world.agent('stuck', `await call(); await sleep(1e6);`);
    const stream = { name: 's', owns: ['s.txt'], plan: reply({ 's.txt': 'answered' }) };
    const place = world.project({});
    place.write(
      'millrace.yaml',
      feature({ s: { ...stream, agent: 'stuck' } }, { model: PRICED_MODEL }),
    );
    const first = start(place);
    const started = await first.until(({ type }) => type === 'run.started');
    await first.until(({ type }) => type === 'agent.turn');
    first.child.kill('SIGKILL');
    await first.ended;
    place.write(
      'millrace.yaml',
      feature({ s: { ...stream, agent: 'answer' } }, { model: 'sim-instant' }),
    );
    const next = start(place);
    expect(await next.ended, JSON.stringify(next.events)).toBe(0);
    expect(place.read('s.txt')).toBe('answered');
    const about = next.events.flatMap((event) =>
      event.type === 'stream.postponed' ? [event.reason] : [],
    );
    expect(about).toEqual(['another worker']);
    const calls = next.events.filter((event) => event.type === 'stream.call');
    expect(calls.map(({ key }) => key.startsWith('stok_'))).toEqual([false]);
    const end = next.events.at(-1) as Extract<RunEvent, { type: 'run.completed' }>;
    // Of both workers.
    const { runId } = started as { runId: string };
    expect(end.totals.tokens.output).toBe(await world.outputOf(runId));
    await expectNothingLeft();
  });

  it('goes through a restart of its server', async () => {
    const options = {
      baseUrls: { anthropic: `${world.vendor().url}/v1` },
      operatorKeys: { anthropic: 'sk-of-the-operator' },
    };
    const { databaseUrl } = world.node();
    const before = await startTestServer(options, databaseUrl);
    const port = Number(new URL(before.url).port);
    const place = project();
    const run = start(place, before.url);
    await run.until(({ type }) => type === 'agent.turn');
    await before.close();
    const after = await startTestServer({ ...options, port }, databaseUrl);
    try {
      const code = await run.ended;
      const last = code === 0 ? run : start(place, after.url);
      expect(await last.ended, JSON.stringify(run.events.at(-1))).toBe(0);
      const { 'millrace.yaml': _, ...tree } = place.tree();
      expect(tree).toEqual(GOLD);
    } finally {
      await after.close();
    }
  });
});
