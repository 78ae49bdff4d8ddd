// Sends the same kind of request over many kept-alive connections and counts the answers. Speaks
// just enough HTTP over raw sockets: a full client would cost more than the servers it measures.
import { connect } from 'node:net';
import { now } from './clock.ts';
import { percentile } from './percentile.ts';

export interface LoadRequest {
  host: string;
  port: number;
  connections: number;
  seconds: number;
  /** Requests to go through in turn, whole HTTP texts. `%n` in a body becomes a running number. */
  requests: string[];
  /** Requests a second over all connections; undefined sends as fast as answers come. */
  rate?: number;
}

export interface LoadResult {
  answered: number;
  failed: number;
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

async function runLoad(load: LoadRequest): Promise<LoadResult> {
  const until = now() + load.seconds * 1000;
  const latencies: number[] = [];
  let failed = 0;
  let counter = 0;
  const started = now();
  const perConnectionGapMs = load.rate ? (1000 * load.connections) / load.rate : 0;

  const one = (index: number) =>
    new Promise<void>((resolve) => {
      const socket = connect(load.port, load.host);
      socket.setNoDelay(true);
      let sentAt = 0;
      let buffered = '';
      let next = index;
      const send = () => {
        if (now() >= until) {
          socket.destroy();
          return resolve();
        }
        const template = load.requests[next % load.requests.length]!;
        next += load.connections;
        const text = template.includes('%n')
          ? template.replaceAll('%n', String(1e9 + ++counter))
          : template;
        sentAt = now();
        socket.write(text);
      };
      socket.on('connect', () => setTimeout(send, perConnectionGapMs * Math.random()));
      socket.on('error', () => {
        failed += 1;
        resolve();
      });
      socket.setEncoding('latin1').on('data', (data: string) => {
        buffered += data;
        const headEnd = buffered.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1] ?? 0);
        if (buffered.length < headEnd + 4 + length) return;
        if (buffered[9] === '2') latencies.push(now() - sentAt);
        else failed += 1;
        buffered = '';
        const wait = perConnectionGapMs - (now() - sentAt);
        if (wait > 1) setTimeout(send, wait);
        else send();
      });
    });

  await Promise.all(Array.from({ length: load.connections }, (_, index) => one(index)));
  const seconds = (now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    answered: latencies.length,
    failed,
    perSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p95Ms: percentile(latencies, 0.95),
    p99Ms: percentile(latencies, 0.99),
  };
}

process.on('message', (message: { load?: LoadRequest; ask?: string }) => {
  if (message.ask === 'stop') process.exit(0);
  if (message.load) void runLoad(message.load).then((result) => process.send?.({ result }));
});
process.on('disconnect', () => process.exit(0));
