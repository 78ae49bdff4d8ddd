// What becomes of a step whose job failed.
import { PASSING_PROVIDER_CODES, RESERVE_USED_CODE } from '../job/passing-codes.ts';
import { isAtCap } from '../run/cut-off.ts';
import type { CutOff } from '../run/cut-off.ts';
import { MAX_TRIES } from './model.ts';

export type Judged =
  | { kind: 'again'; note: string | null }
  | { kind: 'failed'; code: string; message: string };

/** Faults that are over at some time: of the provider, of the network, of a node of ours. */
const PASSING = new Set<string>([
  ...PASSING_PROVIDER_CODES,
  'PROVIDER_TIMEOUT',
  'WORKER_LOST',
  'TIMEOUT',
  RESERVE_USED_CODE,
]);

interface Tried {
  streamId: string;
  tries: number;
}

export function judgeFailure(
  { streamId, tries }: Tried,
  failure: { code: string; message: string },
): Judged {
  if (PASSING.has(failure.code) && tries < MAX_TRIES) return { kind: 'again', note: null };
  const times = tries > 1 ? ` after ${tries} tries` : '';
  return {
    kind: 'failed',
    code: failure.code,
    message: `The step ${streamId} failed${times}: ${failure.message}`,
  };
}

export function judgeRefused(
  { streamId, tries }: Tried,
  { problems, code }: { problems: readonly string[]; code: string },
): Judged {
  const note = problems.map((problem) => `- ${problem}`).join('\n');
  if (tries < MAX_TRIES) return { kind: 'again', note };
  return {
    kind: 'failed',
    code,
    message: `The step ${streamId} gave no usable changes after ${tries} tries: ${problems.join('; ')}`,
  };
}

const CUT_OFF_CODE = 'ANSWER_CUT_OFF';
const NO_ROOM =
  'the model has no more room; ask for less at a time, send fewer files, or use another model.';

function cutOffAt(cut: CutOff): string {
  return isAtCap(cut)
    ? `${cut.maxTokens} tokens, the most that an answer may have`
    : `${cut.outputTokens} tokens`;
}

/** Never tried again: the next call would have about the same cap, and end there again. */
export function judgeCutOff({ streamId, tries }: Tried, cut: CutOff): Judged {
  const todo = isAtCap(cut) ? 'ask for less at a time, or allow more steps (maxSteps).' : NO_ROOM;
  const message = `The answer was cut off at ${cutOffAt(cut)}: ${todo}`;
  return judgeFailure({ streamId, tries }, { code: CUT_OFF_CODE, message });
}

export function judgeCutOffPlan(cut: CutOff): Extract<Judged, { kind: 'failed' }> {
  const todo = isAtCap(cut) ? 'ask for less at a time, or allow fewer steps (maxSteps).' : NO_ROOM;
  const message = `The plan was cut off at ${cutOffAt(cut)}: ${todo}`;
  return { kind: 'failed', code: CUT_OFF_CODE, message };
}
