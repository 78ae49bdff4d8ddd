// kill -9 of the server, the command, an agent or its sandbox at any moment: the run comes to its end, with no turn of the
// built-in agent paid twice, and nothing is left.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { startScriptedVendor } from '../agents/scripted-vendor.ts';
import type { ScriptedVendor } from '../agents/scripted-vendor.ts';
import { createProject, feature } from '../orchestrator/project.ts';
import type { Project } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { createRandom } from '../support/chaos/random.ts';
import { launchServer } from '../support/chaos/server-process.ts';
import type { ServerProcess } from '../support/chaos/server-process.ts';
import { effort } from '../support/effort.ts';
import { findLedgerGaps } from '../support/ledger-sums.ts';
import { waitUntil } from '../support/processes.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { descendants, lineOf, startRun } from './command.ts';
import type { Command } from './command.ts';
import { WORKERS } from './contract-workers.ts';
import { leftIn, processesWith } from './world.ts';

const VICTIMS = ['server', 'command', 'agent', 'sandbox'] as const;
type Victim = (typeof VICTIMS)[number];

const MINE = WORKERS.find(({ title }) => title.endsWith('by stdin'))!;
const MODEL = MINE.model;

/** The built-in agent and a program, side by side and one after the other. */
const STREAMS: Readonly<Record<string, { agent: string; deps: string[] }>> = {
  first: { agent: 'loop', deps: [] },
  second: { agent: 'mine', deps: [] },
  third: { agent: 'loop', deps: ['second'] },
  fourth: { agent: 'mine', deps: ['first'] },
};
const pathOf = (id: string) => `${id}.txt`;
const GOLD = Object.fromEntries(Object.keys(STREAMS).map((id) => [pathOf(id), `${id}\n`]));

const isStart = (event: RunEvent) => event.type === 'run.started';

describe.skipIf(NO_SANDBOX !== undefined)('a run with agents, of which something is killed', () => {
  let base: string;
  let vendor: ScriptedVendor;
  /** Without workers and without calls: it only looks. */
  let node: TestServer;
  let server: ServerProcess;
  let url: string;
  let settings: Record<string, string>;

  async function startServer(port = 0): Promise<void> {
    const { anthropic } = vendor.settings.baseUrls;
    server = launchServer({
      databaseUrl: node.databaseUrl,
      port,
      settings: {
        MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
        MILLRACE_ANTHROPIC_BASE_URL: anthropic!,
        MILLRACE_ANTHROPIC_API_KEY: 'sk-of-the-operator',
        MILLRACE_ALLOW_PRIVATE_TARGETS: 'on',
      },
    });
    url = await server.ready();
  }

  beforeAll(async () => {
    base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-crash-')));
    const [home, bin, config] = ['home', 'bin', 'config'].map((name) => join(base, name));
    for (const folder of [home, bin, config]) mkdirSync(folder!);
    writeFileSync(join(config!, 'config.yaml'), MINE.settings!(bin!), { mode: 0o600 });
    vendor = await startScriptedVendor();
    node = await startTestServer({ role: 'api' });
    await startServer();
    settings = {
      HOME: home!,
      XDG_STATE_HOME: '',
      MILLRACE_CONFIG_DIR: config!,
      MILLRACE_URL: url,
      MILLRACE_API_KEY: (await node.createKey()).key,
    };
  });
  afterAll(async () => {
    await server?.kill('SIGKILL');
    await node?.close();
    await vendor?.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 20 });
  });

  function project(): Project {
    const streams = Object.entries(STREAMS).map(([id, { agent, deps }]) => {
      const verify = [`grep -qx ${id} ${pathOf(id)}`];
      return [id, { name: id, agent, deps, plan: `WORD-${id}.`, owns: [pathOf(id)], verify }];
    });
    return createProject(feature(Object.fromEntries(streams), { model: MODEL }));
  }

  function play(): void {
    const call = (name: string, args: object) => ({ text: 'Now.', call: { name, args } });
    const others = Object.entries(STREAMS).map(([id, { agent }]) => {
      const write = call('write', { path: pathOf(id), content: `${id}\n` });
      const turns =
        agent === 'loop'
          ? [call('list', {}), write, call('done', { summary: 'Done.' })]
          : [write, { text: 'Done.' }];
      return [`WORD-${id}`, turns] as const;
    });
    vendor.play({ tool: 'write', turns: [], takesMs: 150, others: Object.fromEntries(others) });
  }

  /** Undefined when the run is over before there is one. */
  async function strike(victim: Victim, run: Command): Promise<void> {
    if (victim === 'command') run.child.kill('SIGKILL');
    else if (victim === 'server') {
      await server.kill('SIGKILL');
      await startServer(Number(new URL(url).port));
    } else {
      const wanted = victim === 'agent' ? '/mine.mjs' : 'bwrap';
      let isOver = false;
      void run.ended.then(() => (isOver = true));
      const pid = await waitUntil(() => {
        const found = descendants(run.child.pid!).find((one) => lineOf(one).includes(wanted));
        return found ?? (isOver ? -1 : undefined);
      });
      if (pid > 0) process.kill(pid, 'SIGKILL');
    }
  }

  /** Turns of the built-in agent that the vendor was asked for more than once: the first time each. */
  function askedTwice(): number[] {
    const bodies = vendor.calls.map(({ raw }) => raw.body.toString());
    return bodies.flatMap((body, at) =>
      /WORD-(?:first|third)/.test(body) && bodies.indexOf(body, at + 1) >= 0 ? [at] : [],
    );
  }

  async function outputOf(runId: string): Promise<number> {
    const { rows } = await node.db.query<{ sum: string }>(
      'select sum(tokens_output) as sum from jobs where run_id = $1',
      [runId],
    );
    return Number(rows[0]!.sum);
  }

  it('comes to its end', { timeout: effort(7) * 120_000 }, async () => {
    const random = createRandom();
    for (let trial = 0; trial < effort(7); trial++) {
      const victim = VICTIMS[trial % VICTIMS.length]!;
      const moment = 3 + random.below(30);
      play();
      const place = project();
      const first = startRun(place, settings);
      await Promise.race([first.until(({ seq }) => seq >= moment), first.ended]);
      const before = vendor.calls.length;
      await strike(victim, first);
      const code = await first.ended;
      const last = code === 0 ? first : startRun(place, settings);
      const about = () =>
        `${victim} after event ${moment} (TEST_SEED=${random.seed}, trial ${trial}): ${JSON.stringify([...first.events, ...(last === first ? [] : last.events)].filter(({ type }) => /fail|finished|note|completed/.test(type)))}`;
      expect(await last.ended, about()).toBe(0);
      const { 'millrace.yaml': _, ...tree } = place.tree();
      expect(tree, about()).toEqual(GOLD);

      const twice = askedTwice();
      // What was on its way when the server died is not known to it.
      const mayBe = (at: number) =>
        victim === 'server' &&
        at < before &&
        !vendor.calls
          .slice(at + 1, before)
          .some(({ raw }) => raw.body.includes(wordOf(vendor.calls[at]!.raw.body)));
      expect(
        twice.filter((at) => !mayBe(at)),
        about(),
      ).toEqual([]);
      const { runId } = first.events.find(isStart) as { runId: string };
      const { totals } = last.events.at(-1) as Extract<RunEvent, { type: 'run.completed' }>;
      expect(totals.tokens.output, about()).toBe(await outputOf(runId));
      await waitUntil(() => processesWith(join(base, 'bin')).length === 0, 'the end of all agents');
      expect(leftIn(join(base, 'home/.local/state/millrace')), about()).toEqual([]);
      place.remove();
    }
    expect(await findLedgerGaps(node.db)).toEqual([]);
  });
});

const wordOf = (body: Buffer) => /WORD-\w+/.exec(body.toString())![0];
