// Serves the tools until the assistant closes the connection. Standard output belongs to the protocol;
// everything else goes to standard error.
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { systemClock } from '../../../platform/clock.ts';
import { createOpenCalls } from '../../../tools/open-calls.ts';
import { createToolServer } from '../../../tools/tool-server.ts';
import type { CommandAction } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { SIGNAL_EXITS, untilStopped } from '../../stop-signal.ts';
import { hideSecrets } from '../../terminal/hide-secrets.ts';
import { complain } from '../../terminal/output.ts';
import { version } from '../../version.ts';
import { createConnection } from './connection.ts';
import { toolSettingsOf } from './settings.ts';
import { findWorkspace } from './workspace.ts';

/** A message that is too large is answered as such, not by the end of the connection. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/**
 * An assistant whose user presses ctrl-c sends the signal first, then which call is cancelled, then the
 * signal again. Without this moment the call would only be left, and its execution paid for to the end.
 */
const READ_ON_MS = 1000;
/** Requests that are still tried again do not keep the process. */
const LONGEST_END_MS = 1000;

function untilClosed(): Promise<'closed'> {
  return new Promise((resolve) => {
    const closed = () => resolve('closed');
    process.stdin.once('end', closed).once('close', closed);
  });
}

export const serveTools: CommandAction = async (options) => {
  const settings = readClientSettings(options, process.env, process.cwd());
  const connection = createConnection(options);
  const openCalls = createOpenCalls(systemClock);
  const deps = {
    version: version(),
    connect: async () => (await connection.open()).client,
    commandLine,
    dashboardUrl: async () => (await connection.open()).url,
    workspace: await findWorkspace(settings, process.env),
    clock: systemClock,
    settings: toolSettingsOf(settings, process.env),
    openCalls,
  };
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  const closed = untilClosed();
  const ended = Promise.race([untilStopped({ repeatsMs: READ_ON_MS }), closed]);
  const handle = serveStdio(() => createToolServer(deps), {
    transport,
    onerror: (error) => complain(`millrace mcp: ${hideSecrets(error.message)}`),
  });
  const why = await ended;
  if (why !== 'closed') await Promise.race([openCalls.settled(READ_ON_MS), closed]);
  await handle.close();
  // Those that were cancelled still have to reach the server, which may be this process.
  await openCalls.settled(LONGEST_END_MS);
  await connection.close();
  setTimeout(() => process.exit(), LONGEST_END_MS).unref();
  return why === 'closed' ? EXIT.ok : SIGNAL_EXITS[why];
};
