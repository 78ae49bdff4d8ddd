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
