// The server that has an execution: the one that flags and settings name, else one of this machine. An
// execution that an assistant started without any settings is in the database of this machine.
import type { MillraceClient } from '../../../client/index.ts';
import type { RunServer } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { clientOf } from '../../remote.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { serverOf } from './server.ts';

/** `connect` may be called or not: a server is started only if it is. */
export async function withExecutionServer<T>(
  options: CommandOptions,
  use: (connect: () => Promise<MillraceClient>) => Promise<T>,
): Promise<T> {
  let own: Promise<RunServer> | undefined;
  const connect = async () => {
    const { apiKey, url } = readClientSettings(options, process.env, process.cwd());
    if (apiKey !== undefined || url.from !== 'default') return clientOf(options);
    own ??= serverOf(options, { onLimited: () => {}, isIdle: false });
    return (await own).client;
  };
  try {
    return await use(connect);
  } finally {
    await (await own?.catch(() => undefined))?.close();
  }
}
