// The API of the rival: a job is added to the queue, and read from it.
import { Job, Queue } from 'bullmq';
import { fastify } from 'fastify';
import { Redis } from 'ioredis';
import { endWithParent } from '../../harness/end-with-parent.ts';
import type { Prompt } from '../call-model.ts';
import { QUEUE } from './queue.ts';
import type { Answer } from './queue.ts';

const connection = new Redis({
  host: '127.0.0.1',
  port: Number(process.env['REDIS_PORT']),
  maxRetriesPerRequest: null,
});
const queue = new Queue<Prompt, Answer>(QUEUE, { connection });
await queue.waitUntilReady();

const app = fastify({ logger: false });
app.post<{ Body: Prompt }>(
  '/jobs',
  {
    schema: {
      body: {
        type: 'object',
        required: ['prompt', 'model'],
        properties: { prompt: { type: 'string' }, model: { type: 'string' } },
      },
      response: { 202: { type: 'object', properties: { jobId: { type: 'string' } } } },
    },
  },
  async ({ body }, reply) => {
    const job = await queue.add('run', { prompt: body.prompt, model: body.model });
    return reply.code(202).send({ jobId: job.id });
  },
);

/** The job's hash tells its state, which saves asking in which list it is. */
function statusOf(job: Job<Prompt, Answer>): string {
  if (job.finishedOn !== undefined) return job.failedReason ? 'failed' : 'completed';
  return job.processedOn === undefined ? 'pending' : 'running';
}

app.get<{ Params: { id: string } }>('/jobs/:id', async ({ params }, reply) => {
  const job = await Job.fromId<Prompt, Answer>(queue, params.id);
  if (job === undefined) return reply.code(404).send({ error: 'no such job' });
  return { jobId: job.id, status: statusOf(job), result: job.returnvalue };
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
endWithParent();
process.send?.({ ready: { url } });
