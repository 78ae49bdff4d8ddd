// millrace job run
import type { Command } from 'commander';
import type { Job, MillraceClient } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import {
  durationOf,
  numberOf,
  reasoningFlag,
  reasoningOf,
  serviceTierFlag,
  serviceTierOf,
} from '../../flag-values.ts';
import { hiddenOption } from '../../hidden-option.ts';
import { openClient } from '../../open-client.ts';
import { createAnswerText } from '../../terminal/answer-text.ts';
import { note, print } from '../../terminal/output.ts';
import { adviseOnFailure, showFailure, usageOf, noteOnAnswer } from './job-text.ts';
import { orSayWhere, untilEnded } from './until-ended.ts';
import { showWait } from './waiting.ts';

export function addJobRun(job: Command, act: Act): void {
  describe(
    job.command('run'),
    'submit a prompt and show the answer as it is written; ctrl-c cancels the job',
    [
      "job run --model sim-fast --prompt 'Say hello'",
      'job run --model sim-standard --prompt @task.md --json',
      'job run --model sim-standard --detach < task.md',
    ],
  )
    .requiredOption('--model <id>', 'the model')
    .option('--prompt <text>', 'a text, @file, or - for standard input')
    .option('--max-tokens <number>', 'cap on output tokens', '4096')
    .addOption(reasoningFlag())
    .addOption(serviceTierFlag())
    .option('--stream <id>', 'name of the stream', 'cli')
    .option('--timeout <time>', 'stop after this time: 90s, 5m, 1h (default 11m)')
    .option('--detach', 'print the job id and leave')
    .addOption(hiddenOption('--wait'))
    .action(act(async () => runJob));
}

/** The text itself, `@file`, or `-` for standard input. */
async function readPrompt(given: string | undefined): Promise<string> {
  if (given === '-' || (given === undefined && !process.stdin.isTTY)) {
    const { text } = await import('node:stream/consumers');
    return text(process.stdin);
  }
  if (given === undefined) {
    throw usageError('No prompt.', 'Pass --prompt with a text, @file, or - for standard input.');
  }
  if (!given.startsWith('@')) return given;
  try {
    const { readFile } = await import('node:fs/promises');
    return await readFile(given.slice(1), 'utf8');
  } catch {
    throw usageError(`--prompt: cannot read ${given.slice(1)}`);
  }
}

/** Shows the text as it comes, and why it does not. */
async function follow(client: MillraceClient, jobId: string, signal: AbortSignal): Promise<Job> {
  let generation: number | undefined;
  let waiting: string | undefined;
  const answer = createAnswerText();
  for await (const event of client.jobEvents(jobId, { signal })) {
    if (event.type === 'status') {
      const now = showWait(event, new Date());
      if (now !== undefined && now !== waiting) note(now);
      waiting = now;
    }
    if (event.type === 'text') {
      if (generation !== undefined && event.generation !== generation) {
        answer.end();
        process.stdout.write('\n');
        note('The answer broke off. It starts over:');
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

async function runJob(options: CommandOptions): Promise<number> {
  const timeoutMs = durationOf(options, 'timeout', '--timeout', { minMs: 1000, maxMs: 3_600_000 });
  const maxTokens = numberOf(options, 'maxTokens', '--max-tokens') ?? 4096;
  const reasoning = reasoningOf(options);
  const serviceTier = serviceTierOf(options);
  const client = await openClient(options, {
    waits: true,
    outlives: options['detach'] === true,
  });
  const request = {
    streamId: String(options['stream']),
    prompt: await readPrompt(options['prompt'] as string | undefined),
    model: String(options['model']),
    maxTokens,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  if (options['detach']) {
    const started = await client.execute(request);
    print(options['json'] ? JSON.stringify(started) : started.jobId);
    return EXIT.ok;
  }
  const isJson = options['json'] === true;
  let jobId = '';
  const { value: job, stopped } = await untilEnded(
    async (signal) => {
      // Not interrupted in the middle: it would keep running and nobody would know its id.
      ({ jobId } = await client.execute(request));
      const watching = isJson ? waitFor(client, jobId, signal) : follow(client, jobId, signal);
      const where = `The job continues on the server. See it with: ${commandLine('job', 'get', jobId)}`;
      return orSayWhere(watching, signal, where);
    },
    async () => {
      await client.cancelJob(jobId);
      return client.getJob(jobId);
    },
  );
  if (isJson) print(JSON.stringify({ jobId, ...job }));
  else {
    print('');
    if (job.status === 'failed') showFailure(job);
    else note(`Done: ${usageOf(job)}`);
  }
  if (stopped !== undefined) return stopped;
  if (job.status !== 'failed') {
    await noteOnAnswer(client, jobId);
    return EXIT.ok;
  }
  const errorCode = await adviseOnFailure(client, jobId);
  return errorCode === 'TIMEOUT' ? EXIT.timedOut : EXIT.failed;
}
