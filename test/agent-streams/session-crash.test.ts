// kill -9 of the command between an attempt of an agent and the one that continues its session, and within both.
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { startScriptedVendor } from '../agents/scripted-vendor.ts';
import type { ScriptedVendor } from '../agents/scripted-vendor.ts';
import { createProject, feature } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startRun } from './command.ts';
import { WORKERS } from './contract-workers.ts';
import { leftIn, processesWith } from './world.ts';

const MINE = WORKERS.find(({ title }) => title.endsWith('by acp'))!;
const FIX = 's-fix-1';

describe.skipIf(NO_SANDBOX !== undefined)('an agent that continues its session', () => {
  let base: string;
  let vendor: ScriptedVendor;
  let server: TestServer;
  let settings: Record<string, string>;
  const state = () => join(base, 'home/.local/state/millrace');
  beforeAll(async () => {
    base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-session-crash-')));
    const [home, bin, config] = ['home', 'bin', 'config'].map((name) => join(base, name));
    for (const folder of [home, bin, config]) mkdirSync(folder!);
    writeFileSync(join(config!, 'config.yaml'), MINE.settings!(bin!), { mode: 0o600 });
    vendor = await startScriptedVendor();
    server = await startTestServer(vendor.settings);
    settings = {
      HOME: home!,
      XDG_STATE_HOME: '',
      MILLRACE_CONFIG_DIR: config!,
      MILLRACE_URL: server.url,
      MILLRACE_API_KEY: (await server.createKey()).key,
    };
  });
  afterAll(async () => {
    await server?.close();
    await vendor?.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 20 });
  });

  type Moment = (event: RunEvent) => boolean;
  const MOMENTS: [string, { killed: Moment; said: boolean[] }][] = [
    ['in the first attempt', { killed: ({ type }) => type === 'agent.turn', said: [true] }],
    // The attempt had not ended, so nothing of it was kept.
    ['in its check', { killed: ({ type }) => type === 'command.started', said: [] }],
    ['when that has failed', { killed: ({ type }) => type === 'stream.failed', said: [true] }],
    [
      'as the session is continued',
      { killed: (event) => event.type === 'agent.session', said: [true, true] },
    ],
    [
      'in the check of the second attempt',
      {
        killed: (event) => event.type === 'command.started' && event.stream === FIX,
        said: [true],
      },
    ],
  ];

  it.each(MOMENTS)(
    'is killed with its run %s, and the run comes to its end',
    async (_when, { killed, said }) => {
      const plan = { plan: 'WORD-s.', owns: ['s.txt'], verify: ['grep -qx right s.txt'] };
      const place = createProject(
        feature({ s: { name: 's', agent: 'mine', ...plan } }, { model: MINE.model }),
      );
      const turns = (text: string) => MINE.turns({ path: 's.txt', file: '', text: `${text}\n` });
      vendor.play({
        tool: 'write',
        turns: [],
        takesMs: 200,
        others: { 'What went wrong': turns('right'), 'WORD-s': turns('wrong') },
      });
      const first = startRun(place, settings);
      await first.until(killed);
      first.child.kill('SIGKILL');
      await first.ended;
      const second = startRun(place, settings);
      expect(await second.ended, JSON.stringify(second.events)).toBe(0);
      expect(place.read('s.txt')).toBe('right\n');
      const sessions = [...first.events, ...second.events].flatMap((event) =>
        event.type === 'agent.session' ? [event.continued] : [],
      );
      expect(sessions).toEqual(said);
      await waitUntil(() => processesWith(join(base, 'bin')).length === 0, 'the end of all agents');
      expect(leftIn(state())).toEqual([]);
      expect(globSync('projects/*/runs/*/sessions', { cwd: state() })).toEqual([]);
      expect(existsSync(join(state(), 'projects'))).toBe(true);
      place.remove();
    },
  );
});
