// The simulated upstream on a port of its own, at the paths of the model endpoint and with nothing else of it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSimulatedUpstream } from '../../src/providers/simulator/wire/simulated-upstream.ts';
import type { Upstream, UpstreamRequest } from '../../src/providers/upstream.ts';

type Route = Pick<UpstreamRequest, 'protocol' | 'operation'>;

const ROUTES: Readonly<Record<string, Route>> = {
  'POST anthropic/v1/messages': { protocol: 'anthropic', operation: 'generate' },
  'POST anthropic/v1/messages/count_tokens': { protocol: 'anthropic', operation: 'count' },
  'GET anthropic/v1/models': { protocol: 'anthropic', operation: 'models' },
  'POST openai/v1/chat/completions': { protocol: 'chat', operation: 'generate' },
  'POST openai/v1/responses': { protocol: 'responses', operation: 'generate' },
  'GET openai/v1/models': { protocol: 'chat', operation: 'models' },
  'POST openrouter/v1/chat/completions': { protocol: 'chat', operation: 'generate' },
  'GET openrouter/v1/models': { protocol: 'chat', operation: 'models' },
  'POST google/v1beta/models/:generateContent': { protocol: 'google', operation: 'generate' },
  'POST google/v1beta/models/:streamGenerateContent': { protocol: 'google', operation: 'generate' },
  'POST google/v1beta/models/:countTokens': { protocol: 'google', operation: 'count' },
  'GET google/v1beta/models': { protocol: 'google', operation: 'models' },
};

export interface SimulatedEndpoint {
  /** Up to and with `/model`. */
  url: string;
  /** Answers whose client went away before they were whole. */
  brokenOff(): number;
  close(): Promise<void>;
}

export async function startSimulatedEndpoint(
  upstream: Upstream = createSimulatedUpstream(),
): Promise<SimulatedEndpoint> {
  let broken = 0;
  const server = createServer((request, response) => {
    const controller = new AbortController();
    response.on('close', () => {
      if (response.writableFinished) return;
      broken += 1;
      controller.abort();
    });
    answer(upstream, request, response, controller.signal).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/model`,
    brokenOff: () => broken,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  upstream: Upstream,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { method = '', url = '' } = request;
  const path = url.replace(/^\/model\//, '');
  const [bare = ''] = path.split('?');
  const model = /^google\/v1beta\/models\/([^/:]+):/.exec(bare)?.[1];
  const route = ROUTES[`${method} ${model === undefined ? bare : bare.replace(model, '')}`];
  if (route === undefined) {
    response.writeHead(404).end(`no route for ${method} ${url}`);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const body =
    bytes.length === 0 ? {} : (JSON.parse(bytes.toString('utf8')) as { stream?: unknown });
  const said = await upstream.send({
    ...route,
    ...(bare.startsWith('openrouter/') && { provider: 'openrouter' }),
    model: model === undefined ? undefined : decodeURIComponent(model),
    isStream: body.stream === true || bare.endsWith(':streamGenerateContent'),
    method: method === 'GET' ? 'GET' : 'POST',
    path: path.slice(path.indexOf('/', path.indexOf('/') + 1)),
    headers: request.rawHeaders,
    body: bytes,
    readBody: () => body,
    ownerId: 'owner',
    signal,
  });
  response.writeHead(said.status, [...said.headers]);
  for await (const chunk of said.body) response.write(chunk);
  response.end();
}
