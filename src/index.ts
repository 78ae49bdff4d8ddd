// Embedding a server: `import { loadConfig, startServer } from 'millrace'`.
import { startApp } from './app/app.ts';
import { loadConfig } from './config/config.ts';
import type { Config } from './config/config.ts';
import { createLogger, createScrubber } from './platform/log.ts';

export { loadConfig };
export type { Config };

export interface RunningServer {
  /** Where the API answers; undefined for the role `worker`. */
  url: string | undefined;
  /** Answers what is under way, drains the jobs, stops the embedded database. */
  close(): Promise<void>;
}

export interface ServerOptions {
  /** Gets each log line, free of secrets; without it logs go to standard error. */
  writeLog?(line: string): void;
}

export async function startServer(
  config: Config,
  options: ServerOptions = {},
): Promise<RunningServer> {
  const scrubber = createScrubber();
  const write = options.writeLog ?? ((line: string) => process.stderr.write(line));
  const log = createLogger({ level: config.logLevel, scrubber, write });
  const app = await startApp(config, { log, scrubber });
  return { url: app.url, close: () => app.close() };
}
