// Fastify, BullMQ and Redis: an API process, a worker process and the queue between them.
import { startChild } from '../../harness/child.ts';
import { getText, postText } from '../../harness/http-text.ts';
import type { JobSystem } from '../../harness/job-system.ts';
import { startRedis } from '../redis.ts';
import type { Fsync } from '../redis.ts';

export interface BullmqOptions {
  fsync: Fsync;
  /**
   * Jobs that the worker runs at once. With fewer than there are clients, a worker that ends a job
   * takes the next one in the same call to Redis, which is by far the fastest, as long as the model
   * answers at once.
   */
  concurrency: number;
}

export async function startBullmq(
  modelUrl: string,
  { fsync, concurrency }: BullmqOptions,
): Promise<JobSystem> {
  const redis = await startRedis(fsync);
  const env = {
    REDIS_PORT: String(redis.port),
    MODEL_URL: modelUrl,
    CONCURRENCY: String(concurrency),
  };
  const worker = startChild('../rivals/bullmq/worker.ts', env);
  const server = startChild('../rivals/bullmq/server.ts', env);
  await worker.waitFor('ready');
  const { url } = await server.waitFor<{ url: string }>('ready');
  const body = JSON.stringify({ prompt: 'Write something short.', model: 'bench' });
  return {
    name: `BullMQ, fsync ${fsync}, ${concurrency} at once`,
    url,
    protocol: {
      users: [{ submit: postText('/jobs', 'none', body), poll: getText('/jobs/%1', 'none') }],
      id: '"jobId":"([^"]+)"',
      done: '"status":"completed"',
      failed: '"status":"failed"',
    },
    pids: () => [server.process.pid!, worker.process.pid!, redis.pid],
    async stop() {
      await server.stop();
      await worker.stop();
      await redis.stop();
    },
  };
}
