// Receives webhooks: counts those on /ok and answers 204; on any other path it never answers.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from './clock.ts';

let arrivals: number[] = [];

const server = createServer((request, response) => {
  request.resume();
  if (!request.url?.startsWith('/ok')) return;
  request.on('end', () => {
    arrivals.push(now());
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ ready: { url: `http://127.0.0.1:${port}` } });
});

process.on('message', (message: { ask: string }) => {
  if (message.ask === 'arrivals') {
    const [first = 0, last = 0] = [arrivals[0], arrivals.at(-1)];
    process.send?.({ arrivals: { count: arrivals.length, first, last } });
  }
  if (message.ask === 'reset') {
    arrivals = [];
    process.send?.({ done: true });
  }
  if (message.ask === 'stop') process.exit(0);
});
process.on('disconnect', () => process.exit(0));
