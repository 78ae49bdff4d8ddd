// Assistants that use the tools of a server over HTTP, by the official clients of both generations.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach } from 'vitest';

export type SentHeaders = Record<string, string>;

export const bearer = (key: string): SentHeaders => ({ authorization: `Bearer ${key}` });

/** Closed after each test of the file. */
export function useRemoteClients() {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });
  const placeOf = (url: string, headers: SentHeaders) =>
    [new URL(`${url}/mcp`), { requestInit: { headers } }] as const;
  return {
    async newest(url: string, headers: SentHeaders): Promise<Client> {
      const mode = { pin: '2026-07-28' };
      const client = new Client({ name: 'new', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(...placeOf(url, headers)));
      open.push(client);
      return client;
    },
    async older(url: string, headers: SentHeaders): Promise<OldClient> {
      const client = new OldClient({ name: 'old', version: '1' });
      await client.connect(new OldTransport(...placeOf(url, headers)));
      open.push(client);
      return client;
    },
  };
}
