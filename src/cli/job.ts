// millrace job run | get | cancel
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { Job, MillraceClient } from '../client/index.ts';
import { ConfigError } from '../config.ts';
import { onClosedOutput } from './closed-output.ts';
import { EXIT } from './exit-codes.ts';
import { note, print } from './output.ts';
import type { CommandOptions } from './command.ts';
import { clientOf, numberOf } from './remote.ts';
import { SIGNAL_EXITS, STOP_SIGNALS } from './stop-signal.ts';
import type { StopSignal } from './stop-signal.ts';

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

function exitOf(job: Job): number {
  return job.status === 'failed' ? EXIT.failed : EXIT.ok;
}

/** Shows the text as it comes; a text that starts over (the call was repeated) is told. */
async function follow(client: MillraceClient, jobId: string, signal: AbortSignal): Promise<Job> {
  let generation: number | undefined;
  for await (const event of client.jobEvents(jobId, { signal })) {
    if (event.type === 'text') {
      if (generation !== undefined && event.generation !== generation) {
        process.stdout.write('\n');
        note('The answer broke off and starts over:');
      }
      generation = event.generation;
      process.stdout.write(event.text);
    }
    if (event.type === 'done') return event.job;
  }
  return client.getJob(jobId);
}

/** Ctrl-C stops the job, not only the watching of it; so does a reader that leaves. */
async function untilEnded(
  client: MillraceClient,
  jobId: string,
  watch: (signal: AbortSignal) => Promise<Job>,
): Promise<{ job: Job; exit: number }> {
  const stop = new AbortController();
  let exit: number = EXIT.interrupted;
  const onSignal = (signal: StopSignal) => {
    exit = SIGNAL_EXITS[signal];
    if (stop.signal.aborted) process.exit(exit);
    stop.abort();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  const stopListening = onClosedOutput(() => stop.abort());
  try {
    const job = await watch(stop.signal);
    return { job, exit: exitOf(job) };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    await client.cancelJob(jobId);
    return { job: await client.getJob(jobId), exit };
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    stopListening();
  }
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
  const { jobId } = await client.execute({
    streamId: String(options['stream']),
    prompt: await readPrompt(options['prompt'] as string | undefined),
    model: String(options['model']),
    maxTokens: numberOf(options, 'maxTokens', '--max-tokens') ?? 4096,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  if (options['detach']) {
    print(options['json'] ? JSON.stringify({ jobId }) : jobId);
    return EXIT.ok;
  }
  const quiet = options['json'] === true;
  const { job, exit } = await untilEnded(client, jobId, (signal) =>
    quiet ? waitFor(client, jobId, signal) : follow(client, jobId, signal),
  );
  if (quiet) print(JSON.stringify({ jobId, ...job }));
  else {
    print('');
    note(
      job.status === 'failed' ? `Failed: ${job.error} (${usageOf(job)})` : `Done: ${usageOf(job)}`,
    );
  }
  return exit;
}

export async function getJob(options: CommandOptions, args: string[]): Promise<number> {
  const waitSeconds = numberOf(options, 'wait', '--wait');
  const job = await clientOf(options).getJob(
    args[0] ?? '',
    waitSeconds === undefined ? {} : { waitSeconds },
  );
  if (options['json']) print(JSON.stringify(job));
  else if (job.status === 'completed') print(job.output);
  else if (job.status === 'failed') note(`Failed: ${job.error} (${usageOf(job)})`);
  else print(job.status);
  return exitOf(job);
}

export async function cancelJob(options: CommandOptions, args: string[]): Promise<number> {
  const answer = await clientOf(options).cancelJob(args[0] ?? '');
  if (options['json']) print(JSON.stringify(answer));
  else print(answer.cancelled ? 'Cancelled.' : 'The job had ended already.');
  return EXIT.ok;
}
