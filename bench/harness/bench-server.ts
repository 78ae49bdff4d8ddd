// A server for measuring: the real one, with a simulated model that tells its parent when a call
// starts, sends its first text, is aborted and ends. Times are on the machine's clock, in ms.
import { startApp } from '../../src/app/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createProviders } from '../../src/providers/registry.ts';
import { cpuMs, now } from './clock.ts';

export interface CallTimes {
  streamId: string;
  event: 'start' | 'first-text' | 'abort' | 'end';
  at: number;
}

let times: CallTimes[] = [];

function note(streamId: string, event: CallTimes['event']): void {
  // Only the calls that a measure marked: telling costs something, too.
  if (streamId.startsWith('timed-')) times.push({ streamId, event, at: now() });
}

function timed(provider: Provider): Provider {
  return {
    ...provider,
    async run(request, onText) {
      const { streamId, signal } = request;
      note(streamId, 'start');
      let isFirst = true;
      signal.addEventListener('abort', () => note(streamId, 'abort'), { once: true });
      const outcome = await provider.run(request, (delta) => {
        if (isFirst) note(streamId, 'first-text');
        isFirst = false;
        onText(delta);
      });
      note(streamId, 'end');
      return outcome;
    },
  };
}

const config = loadConfig(process.env);
const scrubber = createScrubber();
const log = createLogger({
  level: 'warn',
  scrubber,
  write: (line) => void process.stderr.write(line),
});
const vendors = {
  baseUrls: config.baseUrls,
  prices: loadPrices(config.pricesFile),
  scrub: scrubber.scrub,
};
const real = createProviders({ simulator: true, vendors });
const simulator = timed(real.find('simulator')!);
const app = await startApp(config, {
  log,
  scrubber,
  providers: {
    ...real,
    find: (id) => (id === simulator.id ? simulator : real.find(id)),
  },
});

let stopping: Promise<void> | undefined;
function stop(): void {
  stopping ??= app.close().then(() => process.exit(0));
}

process.on('message', (message: { ask: string }) => {
  if (message.ask === 'usage') {
    process.send?.({ usage: { cpuMs: cpuMs(), rss: process.memoryUsage.rss() } });
  }
  if (message.ask === 'times') {
    process.send?.({ times });
    times = [];
  }
  if (message.ask === 'stop') stop();
});
// Without its parent nobody would ever stop it.
process.on('disconnect', stop);
process.send?.({ ready: { url: app.url ?? '', databaseUrl: app.databaseUrl } });
