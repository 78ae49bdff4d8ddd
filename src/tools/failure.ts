// Why an execution failed, as the tools report it, and what to do about it.
import type { Execution } from '../client/index.ts';
import { FAILURE_CODES } from '../contract/job-codes.ts';
import type { FailureCause } from '../contract/job-codes.ts';
import { MOST, clip } from './bounds.ts';
import { hintFor } from './tool-error.ts';
import type { ExecuteOutput } from './tool-schemas.ts';

const AGAIN = 'Call millrace_execute again with the same arguments.';

/** For failures that another attempt alone does not cure. */
const ADVICE: Readonly<Record<FailureCause, string>> = {
  request: 'Tell the user: the key, the model or the task must change first.',
  answer:
    'Say more exactly what to do, or make the task smaller, then call millrace_execute again.',
  budget: 'Tell the user: the budget does not allow it.',
  server: 'Tell the user: the log of the server has the reason.',
  provider: AGAIN,
  time: AGAIN,
};

function rowOf(code: string) {
  if (!Object.hasOwn(FAILURE_CODES, code)) return undefined;
  return FAILURE_CODES[code as keyof typeof FAILURE_CODES];
}

export const isRetryable = (code: string): boolean => rowOf(code)?.retryable ?? false;

export function afterFailure({ result }: Execution): string {
  const code = result?.error?.code ?? '';
  if (isRetryable(code)) return AGAIN;
  return hintFor(code).hint ?? ADVICE[rowOf(code)?.cause ?? 'answer'];
}

export function errorOf({ result }: Execution): Pick<ExecuteOutput, 'error'> {
  if (result?.error === undefined) return {};
  const { code, message } = result.error;
  return { error: { code, message: clip(message, MOST.error), retryable: isRetryable(code) } };
}
