// The tools for AI assistants as this server offers them itself. They act in the name of the caller, by
// the API and with the caller's own key, so they can do what the caller can do and nothing else.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { MillraceClient } from '../client/index.ts';
import { defaultWorld } from '../client/world.ts';
import type { RemoteTools, ToolCaller } from '../http/mcp/mcp-route.ts';
import { INSIDE_URL } from '../http/mcp/inside-fetch.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { DEFAULT_TOOL_SETTINGS } from '../tools/deps.ts';
import type { ToolSettings } from '../tools/deps.ts';
import { createSharedAttempts } from '../tools/shared-attempts.ts';
import { createToolServer } from '../tools/tool-server.ts';
import { VERSION } from './version.ts';

/**
 * A client that hangs up may have lost patience or its connection; it cannot say. What it started
 * continues, and `millrace_cancel` stops it.
 */
const SETTINGS: ToolSettings = {
  ...DEFAULT_TOOL_SETTINGS,
  onAbort: 'detach',
  waitsForServer: false,
};

export interface RemoteToolDeps {
  clock: Clock;
  log: Logger;
  publicUrl(): string;
}

export function createRemoteTools({ clock, log, publicUrl }: RemoteToolDeps): RemoteTools {
  function connectAs({ apiKey, teamId, fetch }: ToolCaller): MillraceClient {
    return new MillraceClient(INSIDE_URL, apiKey, {
      world: { ...defaultWorld, fetch },
      ...(teamId === undefined ? {} : { teamId }),
      // There is no network between: who is refused is refused. Assistants can call again.
      maxRetries: 0,
    });
  }

  const attempts = createSharedAttempts(clock);
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { caller } = authInfo!.extra as { caller: ToolCaller };
      return createToolServer({
        version: VERSION,
        connect: async () => connectAs(caller),
        dashboardUrl: async () => publicUrl(),
        workspace: undefined,
        clock,
        settings: SETTINGS,
        attempts,
      });
    },
    { onerror: (error) => log.debug({ err: error }, 'a message to the tools was refused') },
  );

  return {
    answer: (request, body, caller) =>
      handler.fetch(request, {
        ...(body === undefined ? {} : { parsedBody: body }),
        authInfo: { token: '', clientId: '', scopes: [], extra: { caller } },
      }),
  };
}
