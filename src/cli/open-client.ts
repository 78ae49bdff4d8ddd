// The client of a command that talks to a server. Loaded when it is needed: showing help does not
// pay for it.
import type { MillraceClient } from '../client/index.ts';
import type { CommandOptions } from './command.ts';
import type { CommandServer, Patience } from './remote.ts';

/** With its address, and the credential that the command uses. */
export async function openServer(options: CommandOptions): Promise<CommandServer> {
  const { connect } = await import('./remote.ts');
  return connect(options);
}

export async function openClient(
  options: CommandOptions,
  patience?: Patience,
): Promise<MillraceClient> {
  const { clientOf } = await import('./remote.ts');
  return clientOf(options, patience);
}
