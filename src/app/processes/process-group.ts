// Keeps the processes of a server running: starts them, starts again what ends, and stops them in order.
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import type { Logger } from '../../platform/log.ts';
import { waitForBalancers } from '../shutdown-delay.ts';
import type { SharedBySiblings } from '../siblings.ts';
import { nameOf, startChild } from './child.ts';
import type { Child, Ended, ProcessEntry } from './child.ts';
import { createCollection } from './collect-metrics.ts';
import { ProcessStartError } from './process-start-error.ts';
import { nextPause } from './restarts.ts';
import { createSiblingHub } from './sibling-hub.ts';
import { CAN_SHARE_PORT, listens } from './split.ts';
import type { Kind, ProcessSpec } from './split.ts';

/** Beyond the drain: a process that takes longer to stop hangs. */
const STOP_MS = 20_000;

export interface Address {
  url: string | undefined;
  healthUrl: string | undefined;
}

export interface ProcessGroup {
  /** Resolves when all are ready, with where they answer; rejects when one cannot start. */
  start(): Promise<Address>;
  /** Not ready any more, and no new jobs, while requests are still answered. */
  beginStop(): void;
  stop(): Promise<void>;
}

function startFailure(spec: ProcessSpec, { code, signal, failure }: Ended): ProcessStartError {
  if (failure) return new ProcessStartError(failure);
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  const message = `The process ${nameOf(spec)} ended ${how} while it started.`;
  return new ProcessStartError({ code: 'PROCESS_ENDED', message, exit: 1 });
}

export function createProcessGroup(
  specs: readonly ProcessSpec[],
  settings: Config,
  shared: Promise<SharedBySiblings>,
  deps: { log: Logger; entry: ProcessEntry; write(lines: string): void },
): ProcessGroup {
  const { log } = deps;
  const { role, healthPort } = settings;
  const listening = specs.filter(({ kind }) => listens(role, kind));
  const running = new Set<Child>();
  const ready = new Set<Child>();
  const stopping = new AbortController();
  const hub = createSiblingHub();
  const collection = createCollection(running);
  let address: Address = { url: undefined, healthUrl: undefined };
  let hasStarted = false;

  /** Jobs are accepted and run as long as there is a process for either. */
  function problem(): string | undefined {
    if (stopping.signal.aborted) return 'stopping';
    if (!hasStarted) return 'the server is starting';
    const missing = (['api', 'worker'] as const).find((part) => {
      const does = ({ kind }: ProcessSpec) => kind === part || kind === 'all';
      return specs.some(does) && ![...ready].some(({ spec }) => does(spec));
    });
    return missing && `no ${missing} process is running`;
  }

  function tellReadiness(): void {
    for (const child of running) child.tell({ kind: 'readiness', problem: problem() });
  }

  /** Where any free port was asked for, it is chosen once, by the first process that listens. */
  function configFor(spec: ProcessSpec): Config {
    const slots = Math.max(1, spec.slots);
    // The supervisor waits for load balancers, once for all.
    const own = { role: spec.kind, slots, healthPort: undefined, shutdownDelaySeconds: 0 };
    const config = { ...settings, ...own };
    // Without a shared port, one of them listens.
    const isFirst = spec === listening[0];
    if (!listening.includes(spec) || (!isFirst && !CAN_SHARE_PORT)) return config;
    const known = address.url ?? address.healthUrl;
    const chosen = known === undefined ? undefined : Number(new URL(known).port);
    if (spec.kind === 'worker') return { ...config, healthPort: chosen ?? healthPort };
    return { ...config, port: chosen ?? config.port };
  }

  function launch(spec: ProcessSpec): Child {
    const config = configFor(spec);
    const child = startChild(
      spec,
      shared.then((known) => ({ ...known, config, name: nameOf(spec) })),
      { ...deps, hub, onMessage: collection.hear },
    );
    running.add(child);
    void child.ready.then((answer) => {
      if (answer.url !== undefined || answer.healthUrl !== undefined) address = answer;
      ready.add(child);
      tellReadiness();
    });
    void child.ended.then(() => {
      running.delete(child);
      ready.delete(child);
      collection.ended(child);
      tellReadiness();
    });
    return child;
  }

  /** Rejects when it cannot start: then the server does not, either. */
  async function launchFirst(spec: ProcessSpec): Promise<Child> {
    const child = launch(spec);
    const failed = child.ended.then((ended) => Promise.reject(startFailure(spec, ended)));
    await Promise.race([child.ready, failed]);
    return child;
  }

  async function keepRunning(first: Child): Promise<void> {
    let failures = 0;
    let child = first;
    while (!stopping.signal.aborted) {
      const since = performance.now();
      const { code, signal, failure } = await child.ended;
      if (stopping.signal.aborted) return;
      const pause = nextPause(failures, performance.now() - since);
      failures = pause.failures;
      const why = failure === undefined ? {} : { reason: failure.message };
      const detail = { process: nameOf(child.spec), pid: child.pid, code, signal, ...why };
      log.error({ ...detail, pauseMs: pause.pauseMs }, 'a process ended; restarting it');
      await delay(pause.pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) child = launch(child.spec);
    }
  }

  function beginStop(): void {
    if (stopping.signal.aborted) return;
    stopping.abort();
    tellReadiness();
    for (const child of running) child.tell({ kind: 'begin-stop' });
  }

  async function stopKinds(kinds: readonly Kind[], patienceMs: number): Promise<void> {
    const children = [...running].filter(({ spec }) => kinds.includes(spec.kind));
    for (const child of children) child.tell({ kind: 'stop' });
    const late = setTimeout(() => {
      for (const child of children.filter((each) => running.has(each))) {
        log.error(
          { process: nameOf(child.spec), pid: child.pid },
          'a process did not stop; killing it',
        );
        child.kill();
      }
    }, patienceMs);
    await Promise.all(children.map(({ ended }) => ended));
    clearTimeout(late);
  }

  return {
    async start() {
      const mayChoose = (role === 'worker' ? healthPort : settings.port) === 0;
      // Those that listen where the first one does have to know where that is.
      const [later, now] = [true, false].map((isLater) =>
        specs.filter((spec) => (mayChoose && listening.indexOf(spec) > 0) === isLater),
      ) as [ProcessSpec[], ProcessSpec[]];
      const children = await Promise.all(now.map(launchFirst));
      children.push(...(await Promise.all(later.map(launchFirst))));
      hasStarted = true;
      tellReadiness();
      for (const child of children) void keepRunning(child);
      return address;
    },
    beginStop,
    async stop() {
      beginStop();
      if (hasStarted && address.url !== undefined) await waitForBalancers(settings, log);
      // First the processes that only accept new jobs, then those that run them.
      await stopKinds(['api'], STOP_MS);
      await stopKinds(['all', 'worker'], settings.drainSeconds * 1000 + STOP_MS);
    },
  };
}
