// What the end of a command means for the request.
import type { RequestEnd, RequestFailure } from '../contract/run-request-api.ts';
import type { CommandEnd } from './run-command.ts';

type End = Pick<RequestEnd, 'status' | 'outcome'>;

/** As the command line documents its exit codes. */
const FAILURES: Readonly<Record<number, RequestFailure>> = {
  1: 'failed',
  2: 'unusable',
  4: 'paused',
  5: 'paused',
  6: 'paused',
  7: 'paused',
};

export function failedEnd(failure: RequestFailure, message: string, remedy?: string): End {
  const outcome = { failure, message, ...(remedy === undefined ? {} : { remedy }) };
  return { status: 'failed', outcome };
}

export function endOf(
  { exitCode, said }: CommandEnd,
  { isCancelled, branch }: { isCancelled: boolean; branch: string | undefined },
): End {
  const on = branch === undefined ? {} : { branch };
  if (exitCode === 0) return { status: 'completed', outcome: { message: said, ...on } };
  if (isCancelled) return { status: 'cancelled', outcome: { message: said, ...on } };
  const failure = (exitCode === null ? undefined : FAILURES[exitCode]) ?? 'failed';
  return { status: 'failed', outcome: { failure, message: said, ...on } };
}
