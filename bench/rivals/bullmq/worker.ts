// The worker of the rival: calls the model and keeps what it answers.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { endWithParent } from '../../harness/end-with-parent.ts';
import { createModelClient } from '../call-model.ts';
import type { Prompt } from '../call-model.ts';
import { QUEUE } from './queue.ts';
import type { Answer } from './queue.ts';

const concurrency = Number(process.env['CONCURRENCY']);
const callModel = createModelClient(process.env['MODEL_URL']!, concurrency);

const worker = new Worker<Prompt, Answer>(
  QUEUE,
  async ({ data }) => ({ text: await callModel(data) }),
  {
    concurrency,
    connection: new Redis({
      host: '127.0.0.1',
      port: Number(process.env['REDIS_PORT']),
      maxRetriesPerRequest: null,
    }),
  },
);
worker.on('error', (error) => console.error(error));
await worker.waitUntilReady();
endWithParent();
process.send?.({ ready: {} });
