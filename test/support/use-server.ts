import { afterAll, beforeAll } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import type { Providers } from '../../src/providers/registry.ts';
import { startTestServer } from './server.ts';
import type { TestServer } from './server.ts';

/** One server for all tests of a file; call the result inside a test to get it. */
export function useServer(
  overrides: Partial<Config> = {},
  { providers }: { providers?: () => Providers } = {},
): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startTestServer(overrides, undefined, providers?.());
  });
  afterAll(async () => {
    await server?.close();
  });
  return () => {
    if (server === undefined) throw new Error('the server is not up yet');
    return server;
  };
}

/** Several servers on one database, as nodes of one service. */
export function useNodes(count: number, overrides: Partial<Config> = {}): () => TestServer[] {
  const nodes: TestServer[] = [];
  beforeAll(async () => {
    for (let i = 0; i < count; i++) {
      nodes.push(await startTestServer(overrides, nodes[0]?.databaseUrl));
    }
  });
  afterAll(async () => {
    // The first one owns the database and goes last.
    for (const node of nodes.toReversed()) await node.close();
  });
  return () => nodes;
}
