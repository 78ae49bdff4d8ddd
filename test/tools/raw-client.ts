// A client that sends what it is told, of the newest version of the protocol: what the official ones
// would not send, or do not show.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  InMemoryTransport,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from '../../src/tools/tool-server.ts';
import { toolDeps } from './assistant.ts';
import type { Place } from './assistant.ts';

export interface RawAnswer {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export interface RawClient {
  request(method: string, params: object, capabilities?: object): Promise<RawAnswer>;
  /** millrace_execute. */
  execute(input: object, capabilities?: object): Promise<RawAnswer>;
  close(): Promise<void>;
}

export async function rawClient(transport: Transport, offered: object): Promise<RawClient> {
  const waiting = new Map<number, (answer: RawAnswer) => void>();
  let last = 0;
  const onmessage = (message: RawAnswer & { id?: number }) => {
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  };
  Object.assign(transport, { onmessage });
  await transport.start();
  const request: RawClient['request'] = (method, params, capabilities = offered) => {
    const id = ++last;
    const answered = new Promise<RawAnswer>((resolve) => waiting.set(id, resolve));
    const _meta = {
      [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
      [CLIENT_INFO_META_KEY]: { name: 'raw', version: '1' },
      [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    };
    void transport.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    return answered;
  };
  return {
    request,
    execute: (input, capabilities) =>
      request('tools/call', { name: 'millrace_execute', arguments: input }, capabilities),
    close: () => transport.close(),
  };
}

/** Within this process. */
export async function rawClientHere(place: Place, offered: object): Promise<RawClient> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => createToolServer(toolDeps(place)), { transport: there });
  const client = await rawClient(here, offered);
  return {
    ...client,
    async close() {
      await client.close();
      await handle.close();
    },
  };
}
