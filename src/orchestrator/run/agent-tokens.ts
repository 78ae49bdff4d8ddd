// What an agent calls is known by the token of its attempt. One of a process that was cut off still stands for calls
// that were paid, and, until it is ended or its lease runs out, for more of them.
import { endToken } from '../../agents/end-token.ts';
import type { StreamTokenUsage } from '../../contract/stream-token-api.ts';
import { NO_TOKENS } from '../../domain/run/replay.ts';
import type { OpenCall } from '../../domain/run/replay.ts';
import type { RunContext } from './context.ts';

export interface AttemptPlace {
  stream: string;
  attempt: number;
}

export function countUsage(
  { emit }: Pick<RunContext, 'emit'>,
  call: AttemptPlace & { call: number },
  usage: StreamTokenUsage | undefined,
): void {
  const { input, output, cachedInput, costUsd } = usage ?? { ...NO_TOKENS, costUsd: null };
  const tokens = { input, output, cachedInput };
  emit({ type: 'stream.answer', ...call, ok: true, tokens, costUsd });
}

const isToken = ({ key }: OpenCall): boolean => key.startsWith('stok_');

const isLeft = (call: OpenCall): boolean => !call.isAnswered && isToken(call);

export const hasOpenTokens = (calls: readonly OpenCall[]): boolean => calls.some(isLeft);

/** Paid for, and nothing of it is left. */
export async function endOpenTokens(
  context: Pick<RunContext, 'emit'> & { options: Pick<RunContext['options'], 'client'> },
  place: AttemptPlace,
  calls: readonly OpenCall[],
): Promise<void> {
  for (const one of calls) {
    if (!isLeft(one)) continue;
    const usage = await endToken(context.options.client, one.key);
    countUsage(context, { ...place, call: one.call }, usage);
  }
}
