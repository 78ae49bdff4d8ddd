// What an agent calls is known by the token of its attempt. One of a process that was cut off still stands for calls
// that were paid, and, until it is ended or its lease runs out, for more of them.
import type { AgentUse } from '../../agents/agent-run.ts';
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

const OWN = 'own:';

/** Of a task with the person's own login: no call of ours, so nothing of it can be found again. */
export const keyOfOwn = ({ stream, attempt, call }: AttemptPlace & { call: number }): string =>
  `${OWN}${stream}:${attempt}:${call}`;

/** Undefined where the agent was ended before it said what it used. */
export function countOwn(
  { emit }: Pick<RunContext, 'emit'>,
  call: AttemptPlace & { call: number },
  used?: AgentUse,
): void {
  const { tokens = { ...NO_TOKENS }, estimatedUsd = null } = used ?? {};
  emit({ type: 'stream.answer', ...call, ok: true, tokens, costUsd: 0, estimatedUsd });
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
    const { call } = one;
    if (!one.isAnswered && one.key.startsWith(OWN)) countOwn(context, { ...place, call });
    if (!isLeft(one)) continue;
    const usage = await endToken(context.options.client, one.key);
    countUsage(context, { ...place, call }, usage);
  }
}
