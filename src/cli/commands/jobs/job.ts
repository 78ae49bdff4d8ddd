// millrace job run | get | cancel
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { Job, MillraceClient } from '../../../client/index.ts';
import { ConfigError } from '../../../config.ts';
import { createAnswerText, printAnswer } from '../../terminal/answer-text.ts';
import { EXIT } from '../../exit-codes.ts';
import { complain, note, print } from '../../terminal/output.ts';
import type { CommandOptions } from '../../command.ts';
import { plain } from '../../terminal/plain-text.ts';
import { clientOf, numberOf } from '../../remote.ts';
import { untilEnded } from './until-ended.ts';

/** The text itself, `@file`, or `-` for standard input. */
async function readPrompt(given: string | undefined): Promise<string> {
  if (given === '-' || (given === undefined && !process.stdin.isTTY)) return readAll(process.stdin);
  if (given === undefined)
    throw new ConfigError(['--prompt is needed: a text, @file, or - for standard input']);
  if (!given.startsWith('@')) return given;
  try {
    return await readFile(given.slice(1), 'utf8');
  } catch {
    throw new ConfigError([`--prompt: the file ${given.slice(1)} cannot be read`]);
  }
}

function usageOf(job: Job): string {
  if (!('tokensUsed' in job)) return '';
  return `${job.tokensUsed.input} tokens in, ${job.tokensUsed.output} out`;
}

/** A part of an answer looks like a whole one: without this line nobody would know. */
async function tellIfCutOff(client: MillraceClient, jobId: string): Promise<void> {
  // The answer is there and paid for: a look that fails now must not make a failure of it.
  const job = await client.getJobDetails(jobId).catch(() => undefined);
  if (job?.status !== 'completed' || job.stopReason !== 'length') return;
  complain(
    `The answer was cut off at ${job.tokensUsed.output} tokens: it is not whole. Ask again with a larger --max-tokens.`,
  );
}

function exitOf(job: Job): number {
  return job.status === 'failed' ? EXIT.failed : EXIT.ok;
}

/** Shows the text as it comes; a text that starts over (the call was repeated) is told. */
async function follow(client: MillraceClient, jobId: string, signal: AbortSignal): Promise<Job> {
  let generation: number | undefined;
  const answer = createAnswerText();
  for await (const event of client.jobEvents(jobId, { signal })) {
    if (event.type === 'text') {
      if (generation !== undefined && event.generation !== generation) {
        answer.end();
        process.stdout.write('\n');
        note('The answer broke off and starts over:');
      }
      generation = event.generation;
      answer.write(event.text);
    }
    if (event.type === 'done') {
      answer.end();
      return event.job;
    }
  }
  answer.end();
  return client.getJob(jobId);
}

async function waitFor(client: MillraceClient, jobId: string, signal: AbortSignal): Promise<Job> {
  for (;;) {
    const job = await client.getJob(jobId, { waitSeconds: 25, signal });
    if (job.status === 'completed' || job.status === 'failed') return job;
  }
}

export async function runJob(options: CommandOptions): Promise<number> {
  const client = clientOf(options);
  const timeoutMs = numberOf(options, 'timeout', '--timeout');
  const request = {
    streamId: String(options['stream']),
    prompt: await readPrompt(options['prompt'] as string | undefined),
    model: String(options['model']),
    maxTokens: numberOf(options, 'maxTokens', '--max-tokens') ?? 4096,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  if (options['detach']) {
    const started = await client.execute(request);
    print(options['json'] ? JSON.stringify(started) : started.jobId);
    return EXIT.ok;
  }
  const quiet = options['json'] === true;
  let jobId = '';
  const { value: job, stopped } = await untilEnded(
    async (signal) => {
      // Not cut off in the middle: then it would run on without anybody knowing its id.
      ({ jobId } = await client.execute(request));
      return quiet ? waitFor(client, jobId, signal) : follow(client, jobId, signal);
    },
    async () => {
      await client.cancelJob(jobId);
      return client.getJob(jobId);
    },
  );
  if (quiet) print(JSON.stringify({ jobId, ...job }));
  else {
    print('');
    note(
      job.status === 'failed'
        ? `Failed: ${plain(job.error)} (${usageOf(job)})`
        : `Done: ${usageOf(job)}`,
    );
  }
  if (stopped !== undefined) return stopped;
  if (job.status !== 'failed') {
    await tellIfCutOff(client, jobId);
    return EXIT.ok;
  }
  const { errorCode } = await client.getJobDetails(jobId);
  return errorCode === 'TIMEOUT' ? EXIT.timedOut : EXIT.failed;
}

export async function getJob(options: CommandOptions, args: string[]): Promise<number> {
  const waitSeconds = numberOf(options, 'wait', '--wait');
  const client = clientOf(options);
  const id = args[0] ?? '';
  const job = await client.getJob(id, waitSeconds === undefined ? {} : { waitSeconds });
  if (options['json']) print(JSON.stringify(job));
  else if (job.status === 'completed') printAnswer(job.output);
  else if (job.status === 'failed') note(`Failed: ${plain(job.error)} (${usageOf(job)})`);
  else print(job.status);
  if (job.status === 'completed') await tellIfCutOff(client, id);
  return exitOf(job);
}

export async function cancelJob(options: CommandOptions, args: string[]): Promise<number> {
  const answer = await clientOf(options).cancelJob(args[0] ?? '');
  if (options['json']) print(JSON.stringify(answer));
  else print(answer.cancelled ? 'Cancelled.' : 'The job had ended already.');
  return EXIT.ok;
}
