// millrace serve
import { startApp } from '../../../app/app.ts';
import { VERSION } from '../../../app/version.ts';
import { createLogger, createScrubber } from '../../../platform/log.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import type { CommandOptions } from '../../command.ts';
import { configOf } from '../../settings/settings.ts';
import { untilStopped } from '../../stop-signal.ts';

export async function serve(options: CommandOptions): Promise<number> {
  const config = configOf(options);
  const scrubber = createScrubber();
  const write = (line: string) => void process.stderr.write(line);
  const log = createLogger({ level: config.logLevel, scrubber, write });
  // Asked for before the start, so that a signal during the start stops it in order, too.
  const stopped = untilStopped();
  const app = await startApp(config, { log, scrubber });
  if (options['json'])
    print(
      JSON.stringify({
        ready: true,
        url: app.url ?? null,
        role: config.role,
        ...(app.healthUrl === undefined ? {} : { healthUrl: app.healthUrl }),
      }),
    );
  else if (app.url)
    print(`Millrace ${VERSION} is ready on ${app.url} (reference: ${app.url}/docs)`);
  else {
    const health = app.healthUrl === undefined ? '' : ` (health: ${app.healthUrl}/healthz)`;
    print(`Millrace ${VERSION} worker is ready${health}`);
  }
  const signal = await stopped;
  if (!options['json'] && signal !== 'closed') {
    note(`${signal}: finishing what is under way; once more to stop at once`);
  }
  await app.close();
  return EXIT.ok;
}
