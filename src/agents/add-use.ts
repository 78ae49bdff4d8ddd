import type { AgentUse } from './agent-run.ts';

export function addUse(before: AgentUse | undefined, more: AgentUse): AgentUse {
  if (before === undefined) return more;
  const { tokens, estimatedUsd } = before;
  const usd =
    estimatedUsd === undefined && more.estimatedUsd === undefined
      ? {}
      : { estimatedUsd: (estimatedUsd ?? 0) + (more.estimatedUsd ?? 0) };
  return {
    tokens: {
      input: tokens.input + more.tokens.input,
      output: tokens.output + more.tokens.output,
      cachedInput: tokens.cachedInput + more.tokens.cachedInput,
    },
    ...usd,
  };
}

/** Never below nothing: what an agent says may be anything. */
const less = (now: number, before: number) => Math.max(0, now - before);

/** What was used since, of what is counted on. */
export function lessUse(now: AgentUse, before: AgentUse, of: keyof AgentUse): AgentUse {
  const { tokens, estimatedUsd } = now;
  if (of === 'tokens') {
    const { input, output, cachedInput } = before.tokens;
    const rest = {
      input: less(tokens.input, input),
      output: less(tokens.output, output),
      cachedInput: less(tokens.cachedInput, cachedInput),
    };
    return { ...now, tokens: rest };
  }
  if (estimatedUsd === undefined) return now;
  return { ...now, estimatedUsd: less(estimatedUsd, before.estimatedUsd ?? 0) };
}
