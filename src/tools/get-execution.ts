// An execution, from a server that may be anything: a proxy, a start page, another program on its port.
import { z } from 'zod';
import type { CallOptions, Execution, MillraceClient } from '../client/index.ts';
import { MillraceConnectionError, MillraceError } from '../client/index.ts';
import { CancelledExecution, Execution as ExecutionShape } from '../contract/execution-api.ts';
import { EXECUTION_ID_PATTERN } from '../contract/fields.ts';

/** What a later version adds is none of our business, what we read must be there. */
function check<T>(schema: z.ZodType<T>, answer: unknown): T {
  if (schema.safeParse(answer).success) return answer as T;
  throw new MillraceConnectionError('the answer is not an execution');
}

const Started = z.looseObject({ id: z.string().regex(EXECUTION_ID_PATTERN) });

export const checkExecution = (answer: unknown) => check(ExecutionShape, answer);
export const checkStarted = (answer: unknown) => check(Started, answer);
export const checkCancelled = (answer: unknown) => check(CancelledExecution, answer);

export async function getExecution(
  client: MillraceClient,
  id: string,
  options?: CallOptions,
): Promise<Execution> {
  return checkExecution(await client.executions.get(id, options));
}

/** The server may be restarting, or the network away: the same request may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  if (error instanceof MillraceError) return error.retryable;
  // Streams fail with whatever the runtime throws.
  return error instanceof MillraceConnectionError || error instanceof TypeError;
}
