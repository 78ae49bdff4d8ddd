// An assistant whose user can be asked, of each generation of the official clients.
import { Client } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from '../../src/tools/tool-server.ts';
import type { ExecuteOutput } from '../../src/tools/tool-schemas.ts';
import { toolDeps } from './assistant.ts';
import type { Place } from './assistant.ts';

export const GENERATIONS = ['new', 'old'] as const;
export type Generation = (typeof GENERATIONS)[number];

/** As wide as the results of the clients. */
export interface Said {
  [field: string]: unknown;
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string>;
}

interface CalledOnce {
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

export interface AskedUser {
  call(
    tool: 'execute' | 'status',
    input: object,
    options?: { signal?: AbortSignal; timeout?: number },
  ): Promise<ExecuteOutput>;
  /** Methods of requests and notifications that came from the tools. */
  sent: readonly string[];
  close(): Promise<void>;
}

/** `says` undefined: the client offers no questions. */
export async function newAskedUser(
  generation: Generation,
  place: Place,
  says: ((message: string) => Said | Promise<Said>) | undefined,
): Promise<AskedUser> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const sent: string[] = [];
  const send = there.send.bind(there);
  there.send = (message, options) => {
    if ('method' in message) sent.push(message.method);
    return send(message, options);
  };
  const handle = serveStdio(() => createToolServer(toolDeps(place)), { transport: there });
  const capabilities = says === undefined ? {} : { elicitation: {} };
  const info = { name: generation, version: '1' };
  let client: Client | OldClient;
  if (generation === 'new') {
    const mode = { pin: '2026-07-28' };
    client = new Client(info, { capabilities, versionNegotiation: { mode } });
    if (says !== undefined) {
      client.setRequestHandler('elicitation/create', async ({ params }) => says(params.message));
    }
    await client.connect(here);
  } else {
    client = new OldClient(info, { capabilities });
    if (says !== undefined) {
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => says(params.message));
    }
    await client.connect(here);
  }
  return {
    sent,
    async call(tool, input, options = {}) {
      const called = { name: `millrace_${tool}`, arguments: { ...input } };
      const done = (await (client instanceof OldClient
        ? client.callTool(called, undefined, options)
        : client.callTool(called, options))) as CalledOnce;
      if (done.isError) throw new Error(JSON.stringify(done));
      return done.structuredContent as ExecuteOutput;
    },
    async close() {
      await client.close();
      await handle.close();
    },
  };
}
