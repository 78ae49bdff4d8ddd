// The worker of the rival: calls the model and keeps what it answers.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { QUEUE } from './queue.ts';
import type { Answer, Prompt } from './queue.ts';

const concurrency = Number(process.env['CONCURRENCY']);
const model = new Pool(process.env['MODEL_URL']!, { connections: concurrency });

async function callModel({ prompt, model: name }: Prompt): Promise<string> {
  const { statusCode, body } = await model.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench-key' },
    body: JSON.stringify({ model: name, messages: [{ role: 'user', content: prompt }] }),
  });
  const answer = (await body.json()) as { choices: { message: { content: string } }[] };
  if (statusCode !== 200) throw new Error(`the model answered ${statusCode}`);
  return answer.choices[0]!.message.content;
}

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
process.on('message', (message: { ask: string }) => {
  if (message.ask === 'stop') process.exit(0);
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: {} });
