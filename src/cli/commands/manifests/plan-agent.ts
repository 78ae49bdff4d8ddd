// What a plan says of a stream that an agent works on. What it will read and how often it will ask cannot be known from
// the files; what it took the last time can, and what it may cost at the most is known.
import type { Estimate } from '../../../domain/run/stream-estimate.ts';
import type { WorstCase } from '../../../domain/run/worst-case.ts';
import { ANSWER } from '../../../manifest/model.ts';
import type { Manifest } from '../../../manifest/model.ts';
import { toTask } from '../../../orchestrator/index.ts';

export interface PlannedAgent {
  name: string;
  /** Model calls of one attempt at the most. */
  maxTurns: number;
  /** For one attempt. */
  timeoutMs: number;
  network: 'models' | 'none' | readonly string[];
  /** All attempts together; null where only the run has a limit. */
  maxCostUsd: number | null;
  /** It works with the person's own login: at most its turns are limited, and no cost is known. */
  hasOwnLogin: boolean;
  /** The estimate is what it took in the last run. */
  hasHistory: boolean;
}

export interface AgentChoices {
  model: string | undefined;
  agent?: string | undefined;
  agentMaxCostUsd?: number | undefined;
  ownLogins?: ReadonlySet<string> | undefined;
  /** Of the run. */
  maxCostUsd?: number | undefined;
  defaultModel: string | undefined;
}

/** Nothing is known of it: no tokens, no time, and a cost that has only an upper bound. */
const NO_HISTORY: Estimate = { inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 };

/** Undefined for a stream that a model answers. */
export function planAgent(
  manifest: Manifest,
  id: string,
  choices: AgentChoices,
  { attempts, history }: { attempts: number; history: Estimate | undefined },
): { agent: PlannedAgent; estimate: Estimate; worstCase: WorstCase } | undefined {
  const { model, agent, agentMaxCostUsd, ownLogins, maxCostUsd } = choices;
  const { defaultModel: fallbackModel } = choices;
  const limits = { agentMaxCostUsd, ownLogins, ...(maxCostUsd !== undefined && { maxCostUsd }) };
  const task = toTask(manifest, manifest.streams.get(id)!, {
    model,
    agent,
    fallbackModel,
    ...limits,
  });
  if (task.agent === ANSWER) return undefined;
  const { maxTurns, timeoutMs, network } = task;
  const hasOwnLogin = ownLogins?.has(task.agent) === true;
  const estimate = { ...(history ?? NO_HISTORY), ...(hasOwnLogin && { costUsd: null }) };
  const { inputTokens, outputTokens } = estimate;
  const costUsd = task.maxCostUsd ?? maxCostUsd ?? null;
  return {
    agent: {
      name: task.agent,
      maxTurns,
      timeoutMs,
      network,
      maxCostUsd: task.maxCostUsd ?? null,
      hasOwnLogin,
      hasHistory: history !== undefined,
    },
    estimate,
    worstCase: {
      attempts,
      inputTokens: inputTokens * attempts,
      outputTokens: outputTokens * attempts,
      costUsd,
    },
  };
}
