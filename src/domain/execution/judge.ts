// What becomes of a step whose job failed.
import { PASSING_PROVIDER_CODES } from '../passing-codes.ts';
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

export function judgeRefused({ streamId, tries }: Tried, problems: readonly string[]): Judged {
  const note = problems.map((problem) => `- ${problem}`).join('\n');
  if (tries < MAX_TRIES) return { kind: 'again', note };
  return {
    kind: 'failed',
    code: 'ARTIFACT_INVALID',
    message: `The step ${streamId} gave no usable changes after ${tries} tries: ${problems.join('; ')}`,
  };
}
