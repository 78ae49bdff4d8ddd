// One of several processes of a server, from the inside: starts its part, and does what the supervisor
// says. When the supervisor goes away, however that happens, the process ends at once, as it would have
// with a server in one process.
import { Socket } from 'node:net';
import type { MetricsJson } from '../../platform/metrics.ts';
import { createLogger, createScrubber } from '../../platform/log.ts';
import { startApp } from '../app.ts';
import type { App } from '../app.ts';
import type { Siblings } from '../siblings.ts';
import type { FromProcess, Start, StartFailure, ToProcess } from './messages.ts';
import { LINK_FD } from './link-fd.ts';
import { openLink } from './link.ts';
import { shareText } from './shared-text.ts';
import { createSignalLink } from './signal-link.ts';

/** Until the supervisor has heard that all processes are up. */
const STARTING = 'the server is starting';

function tell(message: FromProcess): void {
  // Fails only when the supervisor is gone.
  process.send?.(message, undefined, undefined, () => {});
}

/** The siblings as the messages of the supervisor tell of them. */
function createSiblings() {
  let problem: string | undefined = STARTING;
  let measure: () => Promise<MetricsJson> = async () => [];
  const asked = new Map<number, (all: MetricsJson[]) => void>();
  let questions = 0;
  return {
    hear(message: ToProcess): void {
      if (message.kind === 'readiness') problem = message.problem;
      else if (message.kind === 'all-measured') {
        asked.get(message.id)?.(message.all);
        asked.delete(message.id);
      } else if (message.kind === 'measure') {
        const { id } = message;
        // Without an answer the supervisor uses what it heard last.
        measure().then(
          (metrics) => tell({ kind: 'measured', id, metrics }),
          () => {},
        );
      }
    },
    of(shared: Start): Siblings {
      const pipe = new Socket({ fd: LINK_FD, readable: true, writable: true });
      const link = openLink(pipe.unref());
      return {
        ...shared,
        signals: createSignalLink(link),
        shareText: (feed) => shareText(feed, link, shared.name, () => performance.now()),
        notReady: () => problem,
        measureAll: () =>
          new Promise((resolve) => {
            const id = ++questions;
            asked.set(id, resolve);
            tell({ kind: 'measure-all', id });
          }),
        onMeasure: (own) => void (measure = own),
      };
    },
  };
}

/** While the database starts. What goes wrong here goes wrong again, and is reported, when it is needed. */
async function loadPart(kind: string | undefined): Promise<unknown> {
  if (kind === 'all') return Promise.all([import('../api.ts'), import('../worker.ts')]);
  return kind === 'api' ? import('../api.ts') : import('../worker.ts');
}

export function runProcess(failureOf: (error: unknown) => Promise<StartFailure>): void {
  loadPart(process.argv[2]).catch(() => {});
  const siblings = createSiblings();
  let starting: Promise<App> | undefined;

  async function start(given: Start): Promise<App> {
    const { config } = given;
    const scrubber = createScrubber();
    const log = createLogger({
      level: config.logLevel,
      scrubber,
      write: (line) => void process.stderr.write(line),
    });
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'process failed because of a bug');
      process.exit(1);
    });
    return startApp(config, { log, scrubber, siblings: siblings.of(given) });
  }

  async function stop(): Promise<void> {
    const app = await starting?.catch(() => undefined);
    await app?.close();
    process.exit(0);
  }

  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: ToProcess) => {
    siblings.hear(message);
    if (message.kind === 'begin-stop') {
      starting?.then(
        (app) => app.beginStop(),
        () => {},
      );
    }
    if (message.kind === 'stop') void stop();
    if (message.kind !== 'start') return;
    starting = start(message.start);
    starting.then(
      ({ url, healthUrl }) => tell({ kind: 'ready', url, healthUrl }),
      async (error: unknown) => {
        const failed: FromProcess = { kind: 'failed', failure: await failureOf(error) };
        process.send?.(failed, undefined, undefined, () => process.exit(1));
      },
    );
  });
}
