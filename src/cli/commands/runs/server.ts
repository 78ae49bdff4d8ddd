// The server of a run, as flags and settings name it.
import { ConfigError } from '../../../config.ts';
import { findServer } from '../../../orchestrator/index.ts';
import type { RunServer } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { configOf } from '../../settings/settings.ts';
import { teamIdOf } from '../../team-choice.ts';
import { note } from '../../terminal/output.ts';

export function serverOf(
  options: CommandOptions,
  {
    isShared,
    ...choice
  }: {
    onLimited(): void;
    isIdle: boolean;
    maxRetries?: number;
    tryTimeoutMs?: number;
    isShared?: boolean;
  },
): Promise<RunServer> {
  const { url, urlRefused, apiKey, team } = readClientSettings(options, process.env, process.cwd());
  if (urlRefused !== undefined) throw new ConfigError([urlRefused]);
  return findServer({
    url: url.value,
    urlFrom: url.from === 'default' ? undefined : url.from,
    apiKey: apiKey?.value,
    findTeam: (client) => teamIdOf(client, team),
    // Loaded only when needed: a run against another server needs no database.
    local: async () =>
      (await import('./local-server.ts')).localServers(configOf(options), isShared),
    onStarting: () => note('Starting a server...'),
    ...choice,
  });
}
