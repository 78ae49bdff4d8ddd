// Asks a model to cut a task into streams, once more if its answer cannot be used, and repairs what it proposes.
import type { JobDetails, MillraceClient } from '../client/index.ts';
import { defaultMaxTokens } from '../domain/model/answer-length.ts';
import { cutOffOf, longerAfter } from '../domain/run/cut-off.ts';
import { readPlanAnswer } from '../domain/prompt/plan-answer.ts';
import { proposalPrompt } from '../domain/prompt/proposal-prompt.ts';
import type { ProposalRequest } from '../domain/prompt/proposal-prompt.ts';
import { composeProposal } from '../manifest/compose/compose-proposal.ts';
import type { ComposedPlan } from '../manifest/compose/compose.ts';
import type { Repository } from '../manifest/compose/repository.ts';

export interface Usage {
  calls: number;
  input: number;
  output: number;
  /** null: a price is not known. */
  costUsd: number | null;
}

export type Proposed =
  | { kind: 'plan'; plan: ComposedPlan; usage: Usage }
  /** Two answers that no plan can be made of. */
  | { kind: 'unusable'; problems: readonly string[]; usage: Usage }
  | { kind: 'failed'; error: string; code: string; provider: string; usage: Usage }
  | { kind: 'stopped'; usage: Usage };

export interface ProposeOptions {
  client: MillraceClient;
  model: string;
  request: Omit<ProposalRequest, 'problems'>;
  repository: Repository;
  signal: AbortSignal;
  /** The answer has this many characters so far; 0 when a call begins. */
  onProgress(length: number, call: number): void;
}

const WAIT_SECONDS = 25;
const ROUNDS = 2;

function addUsage(usage: Usage, job: JobDetails): Usage {
  const used = 'tokensUsed' in job ? job.tokensUsed : { input: 0, output: 0 };
  const { costUsd } = job;
  return {
    calls: usage.calls + 1,
    input: usage.input + used.input,
    output: usage.output + used.output,
    costUsd: usage.costUsd === null || costUsd === null ? null : usage.costUsd + costUsd,
  };
}

/** The job as it ended, also when it was stopped from here: then it is cancelled. */
async function runJob(
  { client, model, signal, onProgress }: ProposeOptions,
  { prompt, call, maxTokens }: { prompt: string; call: number; maxTokens: number },
): Promise<JobDetails> {
  // Not interrupted in the middle: the job would go on, and nobody would know its id.
  const { jobId } = await client.execute({ streamId: 'plan', prompt, model, maxTokens });
  try {
    let length = 0;
    for await (const event of client.jobEvents(jobId, { signal })) {
      if (event.type === 'text') onProgress((length += event.text.length), call);
      if (event.type === 'done') break;
    }
    for (;;) {
      const job = await client.getJobDetails(jobId, { waitSeconds: WAIT_SECONDS, signal });
      if (job.status === 'completed' || job.status === 'failed') return job;
    }
  } catch (error) {
    const cancelled = client.cancelJob(jobId);
    // Nobody waits for the answer any more. Why it cannot be followed is what the user has to know.
    if (!signal.aborted) {
      await cancelled.catch(() => {});
      throw error;
    }
    await cancelled;
    return client.getJobDetails(jobId);
  }
}

/** As much as the next call may answer; more than before only where the answer was cut off. */
function nextLength(
  model: string,
  maxTokens: number,
  { stopReason, tokensUsed }: JobDetails & { status: 'completed' },
): number {
  if (stopReason !== 'length') return maxTokens;
  const cut = cutOffOf(model, { maxTokens, outputTokens: tokensUsed.output });
  return longerAfter(model, cut) ?? maxTokens;
}

export async function propose(options: ProposeOptions): Promise<Proposed> {
  const { model, request, repository, signal, onProgress } = options;
  let usage: Usage = { calls: 0, input: 0, output: 0, costUsd: 0 };
  let problems: readonly string[] = [];
  let maxTokens = defaultMaxTokens(model);
  for (let call = 1; call <= ROUNDS; call++) {
    onProgress(0, call);
    const prompt = proposalPrompt({ ...request, problems });
    const job = await runJob(options, { prompt, call, maxTokens });
    usage = addUsage(usage, job);
    if (signal.aborted) return { kind: 'stopped', usage };
    if (job.status !== 'completed') {
      const { provider } = job;
      const error = job.status === 'failed' ? job.error : 'It has not ended.';
      return { kind: 'failed', error, code: job.errorCode ?? 'FAILED', provider, usage };
    }
    if (job.stopReason === 'length') {
      // What is there may look like a whole plan.
      problems = ['The answer was cut off before its end; plan shorter.'];
    } else {
      const result = composeProposal(readPlanAnswer(job.output), repository);
      if (result.kind === 'plan') return { kind: 'plan', plan: result.plan, usage };
      ({ problems } = result);
    }
    maxTokens = nextLength(model, maxTokens, job);
  }
  return { kind: 'unusable', problems, usage };
}
