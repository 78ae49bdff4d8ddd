// A server process that can be killed, stopped, cut off and started again. It reaches the database through a proxy
// of its own, so that one node can be cut off while the others go on.
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../test/support/processes.ts';
import type { NodeProcess } from '../test/support/processes.ts';
import { startTcpProxy } from '../test/support/tcp-proxy.ts';
import type { TcpProxy } from '../test/support/tcp-proxy.ts';
import type { Network } from './network.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Where Debian's package puts the library that makes a process see another time. */
const FAKE_TIME = ['aarch64', 'x86_64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));
export const HAS_FAKE_TIME = FAKE_TIME !== undefined;

/**
 * Left to itself, V8 lets the part of the heap for what lives a moment grow to 100 MiB and shrink again, many minutes
 * apart: nothing that grows slowly could be seen behind that.
 */
const STEADY_HEAP = '--max-semi-space-size=8';

export interface ChaosNode {
  name: string;
  role: 'api' | 'worker';
  /** Of an API node that is up. */
  url(): string | undefined;
  /** While it is up. */
  pid(): number | undefined;
  /** The one it is alone in, if there is one. */
  network: Network | undefined;
  proxy: TcpProxy;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** `skew`, such as `+1h`: its clock is wrong from now on. */
  start(skew?: string): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** All that it and its predecessors wrote. */
  log(): string;
  close(): Promise<void>;
}

export interface NodeOptions {
  name: string;
  role: ChaosNode['role'];
  databaseUrl: string;
  port: number;
  settings: Record<string, string>;
  network?: Network | undefined;
  /** It ended, and nobody had told it to. */
  onSurprise(what: string): void;
}

export async function createNode(options: NodeOptions): Promise<ChaosNode> {
  const { network } = options;
  const proxy = await startTcpProxy(options.databaseUrl, network?.host);
  let child: NodeProcess | undefined;
  let isUp = false;
  let isExpected = true;
  let earlier = '';

  async function start(skew?: string): Promise<void> {
    const args = ['serve', '--json', '--role', options.role, '--port', String(options.port)];
    const fake =
      skew === undefined || FAKE_TIME === undefined
        ? {}
        : { LD_PRELOAD: FAKE_TIME, FAKETIME: skew, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    isExpected = false;
    const [program, ...before] = [...(network?.prefix ?? []), process.execPath, STEADY_HEAP, MAIN];
    const own = startProgram(program, [...before, ...args], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
        MILLRACE_PROCESSES: '1',
        MILLRACE_DRAIN_SECONDS: '5',
        DATABASE_URL: proxy.url,
        ...options.settings,
        ...fake,
      },
    });
    child = own;
    void own.ended.then((code) => {
      isUp = false;
      earlier += own.output();
      // What the library shares between processes stays when one of them is killed.
      for (const name of [`faketime_shm_${own.pid}`, `sem.faketime_sem_${own.pid}`]) {
        rmSync(`/dev/shm/${name}`, { force: true });
      }
      if (!isExpected && child === own) options.onSurprise(`${options.name} ended with ${code}`);
    });
    await own.waitFor(/^\{"ready":true.*\}$/m);
    isUp = child === own;
  }

  async function kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    isExpected = true;
    isUp = false;
    await child?.kill(signal);
  }

  return {
    name: options.name,
    role: options.role,
    proxy,
    network,
    pid: () => (isUp ? child?.pid : undefined),
    url: () => (isUp && options.role === 'api' ? `http://127.0.0.1:${options.port}` : undefined),
    kill,
    start,
    freeze: () => void process.kill(child!.pid, 'SIGSTOP'),
    thaw: () => void process.kill(child!.pid, 'SIGCONT'),
    log: () => earlier + (isUp ? (child?.output() ?? '') : ''),
    async close() {
      await kill('SIGKILL');
      await proxy.close();
    },
  };
}
