// The simulated model behind plain HTTP: what a reader gets without Millrace in between. Each
// stream's first text is told with the time at which the model produced it.
import { createServer } from 'node:http';
import { createProviders } from '../../src/providers/registry.ts';
import { now } from './clock.ts';

const simulator = createProviders({ simulator: true }).find('simulator')!;
const firstTexts: Record<string, number> = {};

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://bench');
  const streamId = url.searchParams.get('stream') ?? 'direct';
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  void simulator
    .run(
      {
        ownerId: 'bench',
        streamId,
        model: url.searchParams.get('model') ?? 'sim-standard',
        prompt: url.searchParams.get('prompt') ?? 'hello',
        maxTokens: 100_000,
        signal: gone.signal,
      },
      (delta) => {
        firstTexts[streamId] ??= now();
        response.write(`event: text\ndata: ${JSON.stringify(delta)}\n\n`);
      },
    )
    .then(() => response.end('event: done\ndata: {}\n\n'));
});

process.on('message', (message: { ask: string }) => {
  if (message.ask === 'first-texts') process.send?.({ firstTexts });
  if (message.ask === 'stop') process.exit(0);
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.send?.({ ready: { url: `http://127.0.0.1:${port}` } });
});
