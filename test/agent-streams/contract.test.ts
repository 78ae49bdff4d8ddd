// What every worker has to do alike, whoever it is: one manifest, one model, and at the end one tree.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { startScriptedVendor } from '../agents/scripted-vendor.ts';
import type { ScriptedVendor } from '../agents/scripted-vendor.ts';
import { createProject, feature } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { runCli } from '../support/cli.ts';
import { findLedgerGaps } from '../support/ledger-sums.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { BINS, WORKERS } from './contract-workers.ts';
import type { ContractWorker } from './contract-workers.ts';
import { HOSTILE, LOADED } from './hostile-repository.ts';
import { leftIn, processesWith } from './world.ts';

/** Three waves; the first attempt at d is wrong. */
const DEPS: Readonly<Record<string, readonly string[]>> = {
  a: [],
  b: [],
  c: [],
  d: ['a'],
  e: ['a', 'b'],
  f: ['c'],
  g: ['d', 'e'],
  h: ['f'],
};
const IDS = Object.keys(DEPS);
const WRONG = 'd';
const pathOf = (id: string) => `src/${id}.txt`;
const textOf = (id: string) => `${id} after ${DEPS[id]!.join(' ') || 'nothing'}\n`;
const GOLD = Object.fromEntries(IDS.map((id) => [pathOf(id), textOf(id)]));

const STREAMS = Object.fromEntries(
  IDS.map((id) => {
    const deps = DEPS[id]!;
    const found = deps.map((one) => `grep -q '^${one} after ' ${pathOf(one)}`);
    const verify = [[...found, `grep -qx '${textOf(id).trim()}' ${pathOf(id)}`].join(' && ')];
    const plan = `Write ${pathOf(id)}. WORD-${id}.`;
    return [id, { name: id, owns: [pathOf(id)], reads: deps.map(pathOf), deps, plan, verify }];
  }),
);

type Start = Extract<RunEvent, { type: 'run.started' }>;
const isStart = (event: RunEvent): event is Start => event.type === 'run.started';

interface Count {
  calls: number;
  input: number;
  cached: number;
  output: number;
}

describe.skipIf(NO_SANDBOX !== undefined)('a run of eight streams', () => {
  let base: string;
  let vendor: ScriptedVendor;
  let server: TestServer;
  beforeAll(async () => {
    base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-contract-')));
    vendor = await startScriptedVendor();
    server = await startTestServer(vendor.settings);
  });
  afterAll(async () => {
    await server?.close();
    await vendor?.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 20 });
  });

  async function run(worker: ContractWorker, root: string) {
    const home = mkdtempSync(join(base, 'home-'));
    const [bin, config] = [join(home, 'bin'), join(home, 'config')];
    for (const folder of [bin, config]) mkdirSync(folder);
    writeFileSync(join(config, 'config.yaml'), worker.settings?.(bin) ?? '', { mode: 0o600 });
    const turnsOf = (id: string, text = textOf(id)) =>
      worker.turns({ path: pathOf(id), file: join(root, pathOf(id)), text });
    vendor.play({
      tool: worker.tool,
      turns: [],
      others: {
        'What went wrong': turnsOf(WRONG),
        ...Object.fromEntries(
          IDS.map((id) => [`WORD-${id}`, id === WRONG ? turnsOf(id, 'wrong\n') : turnsOf(id)]),
        ),
      },
    });
    const ran = await runCli(['-C', root, 'run', '--yes', '--json'], {
      HOME: home,
      XDG_STATE_HOME: '',
      PATH: [bin, dirname(process.execPath), ...BINS, process.env['PATH']].join(delimiter),
      MILLRACE_CONFIG_DIR: config,
      MILLRACE_URL: server.url,
      MILLRACE_API_KEY: (await server.createKey()).key,
    });
    expect(ran.code, ran.stderr + ran.stdout.slice(-5000)).toBe(0);
    const events = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    expect(processesWith(home).concat(processesWith(root))).toEqual([]);
    expect(leftIn(join(home, '.local/state/millrace'))).toEqual([]);
    return events;
  }

  function counted(): Count {
    const sum = (pick: 'input' | 'cached' | 'output') =>
      vendor.calls.reduce((total, { used }) => total + used[pick], 0);
    const [input, cached, output] = [sum('input'), sum('cached'), sum('output')];
    return { calls: vendor.calls.length, input, cached, output };
  }

  async function inLedger(runId: string): Promise<Count> {
    const { rows } = await server.db.query<Record<keyof Count, string>>(
      `select count(*) as calls, sum(l.tokens_input) as input, sum(l.tokens_cached) as cached,
         sum(l.tokens_output) as output
       from usage_ledger l join jobs j on j.id = l.job_id where j.run_id = $1`,
      [runId],
    );
    const entries = Object.entries(rows[0]!).map(([name, value]) => [name, Number(value)]);
    return Object.fromEntries(entries) as Count;
  }

  it.each(WORKERS)('comes to the same by $title', { timeout: 480_000 }, async (worker) => {
    const { agent, model } = worker;
    const place = createProject(feature(STREAMS, { agent, model }), HOSTILE);
    try {
      const events = await run(worker, realpathSync.native(place.root));
      const { 'millrace.yaml': _, ...tree } = place.tree();
      expect(tree).toEqual({ ...HOSTILE, ...GOLD });
      const ends = events.flatMap((event) =>
        event.type === 'stream.completed' ? [event.stream] : [],
      );
      expect(ends.sort()).toEqual([...IDS, `${WRONG}-fix-1`].filter((id) => id !== WRONG).sort());
      let [working, most] = [0, 0];
      for (const { type } of events) {
        if (type === 'stream.started') working += 1;
        if (type === 'stream.completed' || type === 'stream.failed') working -= 1;
        most = Math.max(most, working);
      }
      expect(most).toBeGreaterThan(1);
      const { runId } = events.find(isStart)!;
      const { totals } = events.at(-1) as Extract<RunEvent, { type: 'run.completed' }>;
      const vendors = counted();
      expect(vendors.calls).toBeGreaterThanOrEqual(IDS.length + 1);
      expect(await inLedger(runId)).toEqual(vendors);
      const { input, cachedInput, output } = totals.tokens;
      expect({ ...vendors, input, cached: cachedInput, output }).toEqual(vendors);
      expect(await findLedgerGaps(server.db)).toEqual([]);
      const sessions = events.flatMap((event) =>
        event.type === 'agent.session' ? [event.continued] : [],
      );
      expect(worker.continues ?? [[]]).toContainEqual(sessions);
      const bodies = vendor.raw.calls.map(({ body }) => body.toString());
      expect(bodies.filter((body) => body.includes(LOADED))).toEqual([]);
    } finally {
      place.remove();
    }
  });
});
