// Projects whose streams are worked on by small programs in the real sandbox, against a real server and a vendor that
// counts what it is asked. The programs are written to a folder of the test.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
} from 'node:fs';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { AgentProgram } from '../../src/agents/agent-program.ts';
import type { RunOptions } from '../../src/orchestrator/run/context.ts';
import { INSIDE } from '../../src/sandbox/inside.ts';
import type { Limits } from '../../src/sandbox/limits.ts';
import { createProject, feature } from '../orchestrator/project.ts';
import type { Project, Ran, Server } from '../orchestrator/project.ts';
import { PRICED_MODEL } from '../support/priced-model.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawAnswer, RawVendor } from '../support/raw-vendor.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

/** What the vendor counts for each call. */
export const USAGE = { input: 100, output: 10 };
export const CALL_USD = (USAGE.input * 3 + USAGE.output * 15) / 1e6;

export const ANSWER: RawAnswer = {
  pieces: [
    JSON.stringify({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: PRICED_MODEL,
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    }),
  ],
};

/** At the beginning of every program: its task, and a call of a model. */
const PRELUDE = `
import * as fs from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
const { writeFileSync: write, mkdirSync: mkdir, rmSync: remove, chmodSync: chmod } = fs;
const base = process.env.ANTHROPIC_BASE_URL;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const read = () => fs.readFileSync(0, 'utf8');
function pour(path, bytes) {
  const [file, piece] = [fs.openSync(path, 'w'), Buffer.alloc(4 << 20, 120)];
  for (let left = bytes; left > 0; left -= piece.length) fs.writeSync(file, piece, 0, Math.min(left, piece.length));
  fs.closeSync(file);
}
async function call(more = {}, path = '/v1/messages') {
  const body = { model: '${PRICED_MODEL}', max_tokens: 12, messages: [{ role: 'user', content: 'go' }], ...more };
  const response = await fetch(base + path, { method: 'POST', body: JSON.stringify(body),
    headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' } });
  return { status: response.status, text: await response.text() };
}
`;

export interface Bounds {
  silentMs?: number;
  limits?: Partial<Limits>;
}

export interface AgentWorld {
  server: Server;
  node(): TestServer;
  vendor(): RawVendor;
  /** Of the test; the person's home is in it. */
  base(): string;
  /** Defines a program; it can be named in manifests from then on. It reads its task, unless `as` says more of it. */
  agent(name: string, body: string, as?: Partial<AgentProgram>): string;
  project(streams: Record<string, object>, files?: Record<string, string>, head?: object): Project;
  run(place: Project, more?: Partial<RunOptions>, bounds?: Bounds): Promise<Ran>;
  /** Tokens of all calls of a run, as the ledger has them. */
  outputOf(runId: string): Promise<number>;
  /** Jobs of calls that belong to a run, of all that are kept. */
  calls(runId: string): Promise<Record<string, unknown>[]>;
}

export function useAgents(): AgentWorld {
  const server: Server = { url: '', key: '' };
  let node: TestServer | undefined;
  let vendor: RawVendor | undefined;
  let base = '';
  const programs = new Map<string, AgentProgram>();
  const projects: Project[] = [];
  beforeAll(async () => {
    base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-agents-')));
    for (const name of ['home', 'state', 'programs']) mkdirSync(join(base, name));
    writeFileSync(join(base, 'home', 'secret'), 'top secret');
    vendor = await startRawVendor();
    vendor.answer(ANSWER);
    node = await startTestServer({
      baseUrls: { anthropic: `${vendor.url}/v1` },
      operatorKeys: { anthropic: 'sk-of-the-operator' },
    });
    Object.assign(server, { url: node.url, key: (await node.createKey()).key });
  });
  afterEach(() => projects.splice(0).forEach((each) => each.remove()));
  afterAll(async () => {
    await node?.close();
    await vendor?.close();
    rmSync(base, { recursive: true, force: true });
  });
  return {
    server,
    node: () => node!,
    vendor: () => vendor!,
    base: () => base,
    agent(name, body, as = {}) {
      const file = join(base, 'programs', `${name}.mjs`);
      writeFileSync(file, `#!${INSIDE.node}\n${PRELUDE}\n${body}\n`);
      chmodSync(file, 0o755);
      programs.set(name, {
        name,
        protocol: 'stdin',
        command: [file],
        paths: [file],
        version: undefined,
        ...as,
      });
      return file;
    },
    project(streams, files = {}, head = {}) {
      const place = createProject(feature(streams, { model: PRICED_MODEL, ...head }), files);
      projects.push(place);
      return place;
    },
    run(place, more = {}, { silentMs, limits = {} } = {}) {
      const where = { home: join(base, 'home'), stateHome: join(base, 'state'), limits };
      return place.run(server, {
        agents: { programs, place: where, ...(silentMs !== undefined && { silentMs }) },
        sandbox: { ...where, hosts: [] },
        retryWaitMs: 10,
        ...more,
      });
    },
    async outputOf(runId) {
      const { rows } = await node!.db.query<{ sum: string | null }>(
        'select sum(tokens_output) as sum from jobs where run_id = $1',
        [runId],
      );
      return Number(rows[0]?.sum ?? 0);
    },
    async calls(runId) {
      const { body } = await node!.call('GET', '/api/v1/jobs?limit=100', { key: server.key });
      const items = body['items'] as Record<string, unknown>[];
      return items.filter((job) => job['runId'] === runId);
    },
  };
}

/** Processes whose command line or environment has this text, the test's own ones left out. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(text) ? [line] : [];
      } catch {
        return [];
      }
    });
}

/** What sandboxes left in a state folder. */
export function leftIn(state: string): string[] {
  const folder = join(state, 'sandboxes');
  return existsSync(folder) ? readdirSync(folder) : [];
}
