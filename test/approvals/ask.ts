// What a run asks, as its command sends it.
import { createHash } from 'node:crypto';
import type { Answer, TestServer } from '../support/server.ts';

export const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

let runs = 0;

export interface Asked {
  id: string;
  hash: string;
  runId: string;
}

export const askBody = (more: Record<string, unknown> = {}) => ({
  kind: 'changes',
  runId: `run-${++runs}`,
  streamId: 'api',
  title: 'Write the changes of api: 1 file, +1 -0',
  detail: '--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n',
  format: 'diff',
  hash: hashOf('x'),
  ...more,
});

/** Fails the test unless it was accepted. */
export async function ask(
  server: TestServer,
  key: string,
  more: Record<string, unknown> = {},
): Promise<Asked> {
  const { status, body } = await server.call('POST', '/v1/approvals', { key, body: askBody(more) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body as unknown as Asked;
}

export const resolve = (
  server: TestServer,
  key: string,
  { id, hash }: { id: string; hash: string },
  more: Record<string, unknown> = {},
): Promise<Answer> =>
  server.call('POST', `/v1/approvals/${id}/resolve`, {
    key,
    body: { decision: 'approve', hash, ...more },
  });

export const find = async (server: TestServer, key: string, id: string, query = '') =>
  (await server.call('GET', `/v1/approvals/${id}${query}`, { key })).body;
