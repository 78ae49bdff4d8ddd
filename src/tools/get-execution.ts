// An execution, from a server that may be anything: a proxy, a start page, another program on its port.
import type { CallOptions, Execution, MillraceClient } from '../client/index.ts';
import { MillraceConnectionError, MillraceError } from '../client/index.ts';
import { Execution as ExecutionShape } from '../contract/execution-api.ts';

/** What a later version adds is none of our business, what we read must be there. */
export function checkExecution(answer: unknown): Execution {
  if (ExecutionShape.safeParse(answer).success) return answer as Execution;
  throw new MillraceConnectionError('the answer is not an execution');
}

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
