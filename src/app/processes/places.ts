// Keeps a process running in every place: starts them, starts again what ends, and stops them in order.
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import type { Logger } from '../../platform/log.ts';
import { nameOf, startChild } from './child.ts';
import type { Child, Ended } from './child.ts';
import { createCollection } from './collect-metrics.ts';
import type { Start } from './messages.ts';
import { ProcessStartError } from './process-start-error.ts';
import { nextPause } from './restarts.ts';
import { createSignalHub } from './signal-hub.ts';
import type { Kind, Place } from './split.ts';

/** Beyond the drain: a process that takes longer to stop hangs. */
const STOP_MS = 20_000;

export interface Address {
  url: string | undefined;
  healthUrl: string | undefined;
}

export interface Places {
  /** Resolves when all are ready, with where they answer; rejects when one cannot start. */
  start(): Promise<Address>;
  stop(): Promise<void>;
}

function startFailure(place: Place, { code, signal, failure }: Ended): ProcessStartError {
  if (failure) return new ProcessStartError(failure);
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  const message = `The process ${nameOf(place)} ended ${how} while it started.`;
  return new ProcessStartError({ code: 'PROCESS_ENDED', message, exit: 1 });
}

export function createPlaces(
  places: readonly Place[],
  shared: Start,
  deps: { log: Logger; entry: string; write(lines: string): void },
): Places {
  const { log } = deps;
  const { role, port, healthPort } = shared.config;
  const listening: { kind: Kind; port: number | undefined } =
    role === 'worker' ? { kind: 'worker', port: healthPort } : { kind: 'api', port };
  const running = new Set<Child>();
  const ports = new Map<Child, number | undefined>();
  const ready = new Set<Child>();
  const stopping = new AbortController();
  const hub = createSignalHub();
  const collection = createCollection(running);
  let address: Address | undefined;

  /** Jobs are accepted and run as long as each kind has one process. */
  function problem(): string | undefined {
    if (stopping.signal.aborted) return 'stopping';
    if (address === undefined) return 'the server is starting';
    const missing = places.find(({ kind }) => ![...ready].some(({ place }) => place.kind === kind));
    return missing && `no ${missing.kind} process is running`;
  }

  function tellReadiness(): void {
    for (const child of running) child.tell({ kind: 'readiness', problem: problem() });
  }

  /**
   * Processes share a socket when they name the same port. Where any free one was asked for, it is
   * chosen once: a process that is started again, alone, must answer where the others did.
   */
  function portFor({ kind }: Place): number | undefined {
    if (kind !== listening.kind) return undefined;
    const sibling = [...running].find(({ place }) => place.kind === kind);
    const known = address?.url ?? address?.healthUrl;
    if (sibling !== undefined) return ports.get(sibling);
    return known === undefined ? listening.port : Number(new URL(known).port);
  }

  function configFor(place: Place, port: number | undefined): Config {
    const slots = Math.max(1, place.slots);
    const config = { ...shared.config, role: place.kind, slots, healthPort: undefined };
    if (place.kind === 'worker') return { ...config, healthPort: port };
    return { ...config, port: port ?? config.port };
  }

  function launch(place: Place): Child {
    const port = portFor(place);
    const config = configFor(place, port);
    const child = startChild(
      place,
      { ...shared, config },
      { ...deps, hub, onMessage: collection.hear },
    );
    running.add(child);
    ports.set(child, port);
    void child.ready.then((answer) => {
      // The last of the others may end while this one starts, and with it the port that was chosen.
      const moved = answer.url !== address?.url || answer.healthUrl !== address?.healthUrl;
      if (address !== undefined && place.kind === listening.kind && moved) {
        child.kill();
        return;
      }
      ready.add(child);
      tellReadiness();
    });
    void child.ended.then(() => {
      running.delete(child);
      ports.delete(child);
      ready.delete(child);
      collection.ended(child);
      tellReadiness();
    });
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
      const detail = { process: nameOf(child.place), pid: child.pid, code, signal, ...why };
      log.error({ ...detail, pauseMs: pause.pauseMs }, 'a process ended; restarting it');
      await delay(pause.pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) child = launch(child.place);
    }
  }

  async function stopKind(kind: Kind, patienceMs: number): Promise<void> {
    const children = [...running].filter(({ place }) => place.kind === kind);
    for (const child of children) child.tell({ kind: 'stop' });
    const late = setTimeout(() => {
      for (const child of children.filter((each) => running.has(each))) {
        log.error(
          { process: nameOf(child.place), pid: child.pid },
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
      const children = places.map(launch);
      const starts = children.map((child) =>
        Promise.race([
          child.ready,
          child.ended.then((ended) => Promise.reject(startFailure(child.place, ended))),
        ]),
      );
      const answers = await Promise.all(starts);
      address = {
        url: answers.find(({ url }) => url !== undefined)?.url,
        healthUrl: answers.find(({ healthUrl }) => healthUrl !== undefined)?.healthUrl,
      };
      tellReadiness();
      for (const child of children) void keepRunning(child);
      return address;
    },
    async stop() {
      stopping.abort();
      tellReadiness();
      // First whoever takes new jobs, then whoever runs them.
      await stopKind('api', STOP_MS);
      await stopKind('worker', shared.config.drainSeconds * 1000 + STOP_MS);
    },
  };
}
