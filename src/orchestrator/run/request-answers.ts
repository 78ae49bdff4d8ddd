// A run that a runner makes for a request keeps what models answer with the server, as it comes: another runner that takes
// the request over begins at the same commit, asks the same questions, and pays for none of them twice. What it gets so is
// an answer like any other: it is checked, applied and verified again.
import { z } from 'zod';
import { Operation } from '../../contract/artifact.ts';
import type { Proposal, Worker } from '../../agents/worker.ts';
import { sha256 } from '../../platform/sha256.ts';
import { KeptAnswer, keptOf, keyOf } from './answer-cache.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { Attempt, RunContext } from './context.ts';

/** Texts by their key, for the runs of one request. */
export interface RequestAnswers {
  requestId: string;
  find(key: string): Promise<string | undefined>;
  keep(key: string, text: string): Promise<void>;
}

function parsed<T>(text: string | undefined, shape: z.ZodType<T>): T | undefined {
  if (text === undefined) return undefined;
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function withRequestAnswers(local: AnswerCache, answers: RequestAnswers): AnswerCache {
  /** Of this process: what it asks again was no use. */
  const own = new Set<string>();
  let kept: Promise<unknown> = Promise.resolve();
  const send = (key: string, text: string) => {
    // The run does not depend on it.
    kept = kept.then(() => answers.keep(key, text)).catch(() => undefined);
  };
  return {
    async find(job) {
      const key = keyOf(job);
      const known = await local.find(job);
      if (known !== undefined || own.has(key)) return known;
      return parsed(await answers.find(key).catch(() => undefined), KeptAnswer);
    },
    heard({ job, end }) {
      const key = keyOf(job);
      own.add(key);
      send(key, JSON.stringify(keptOf(end)));
    },
    keep(answered) {
      local.keep(answered);
      for (const { job, end } of answered) send(keyOf(job), JSON.stringify(keptOf(end)));
    },
    async settled() {
      await local.settled();
      await kept;
    },
  };
}

const Work = z.object({ operations: z.array(Operation), summary: z.string() });

/** The same for an agent: what it came to, when it was asked to do just this. */
export function withKeptWork(
  context: RunContext,
  { task, attempt }: Attempt,
  { worker, text }: { worker: Worker; text: string },
): Worker {
  const { requestAnswers } = context.options;
  if (requestAnswers === undefined) return worker;
  const key = sha256(JSON.stringify(['work', task.id, task.agent, task.model, text]));
  let summary = '';
  const noted = (proposal: Proposal): Proposal => {
    if (proposal.kind === 'changes') ({ summary } = proposal);
    return proposal;
  };
  return {
    ...worker,
    async work() {
      const known = parsed(await requestAnswers.find(key).catch(() => undefined), Work);
      if (known === undefined) return noted(await worker.work());
      const message = `${task.id}: using what the agent did on another runner.`;
      context.emit({
        type: 'run.note',
        level: 'info',
        code: 'ANSWER_USED',
        message,
        about: task.id,
      });
      const isLast = attempt > 1;
      return { kind: 'changes', ...known, isExact: true, isLast };
    },
    async revise(problems) {
      const next = await worker.revise(problems);
      return next && noted(next);
    },
    async accepted(operations) {
      await worker.accepted(operations);
      const done = JSON.stringify({ operations, summary });
      await requestAnswers.keep(key, done).catch(() => undefined);
    },
  };
}
