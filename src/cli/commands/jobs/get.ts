// millrace job get
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import type { Job, MillraceClient } from '../../../client/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { durationOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { printAnswer } from '../../terminal/answer-text.ts';
import { note, print } from '../../terminal/output.ts';
import { noteOnCall } from './call-facts.ts';
import { findJobId } from './find-job.ts';
import { adviseOnFailure, showFailure, noteOnAnswer } from './job-text.ts';
import { showWait } from './waiting.ts';

const LONGEST_WAIT_MS = 60_000;

export function addJobGet(job: Command, act: Act): void {
  describe(job.command('get'), "show a job's answer, or how far it is", [
    'job get job_01...',
    'job get job_01... --wait 30s --json',
  ])
    .argument('<id>', 'the job id, or how it begins')
    .option('--wait <time>', 'wait for its end, up to 1m')
    .action(act(async () => getJob));
}

/** What the plain view leaves out of a job with tools. */
async function turnOf(client: MillraceClient, id: string, job: Job) {
  if (job.status !== 'completed') return {};
  const { toolCalls, assistantMessage } = await client.getJobDetails(id);
  return { toolCalls, assistantMessage };
}

async function getJob(options: CommandOptions, args: string[]): Promise<number> {
  const waitMs = durationOf(options, 'wait', '--wait', { maxMs: LONGEST_WAIT_MS });
  const client = await openClient(options);
  const id = await findJobId(client, args[0] ?? '');
  const wait = waitMs === undefined ? {} : { waitSeconds: Math.ceil(waitMs / 1000) };
  const job = await client.getJob(id, wait);
  if (options['json']) print(JSON.stringify({ ...job, ...(await turnOf(client, id, job)) }));
  else if (job.status === 'completed') {
    if (job.output !== '') printAnswer(job.output);
  } else if (job.status === 'failed') showFailure(job);
  else {
    print(job.status);
    const details = await client.getJobDetails(id).catch(() => undefined);
    const waiting = showWait(details, new Date());
    if (waiting !== undefined) note(waiting);
  }
  if (!options['json']) await noteOnCall(client, id);
  if (job.status === 'completed') await noteOnAnswer(client, id);
  if (job.status !== 'failed') return EXIT.ok;
  if (!options['json']) await adviseOnFailure(client, id);
  return EXIT.failed;
}
