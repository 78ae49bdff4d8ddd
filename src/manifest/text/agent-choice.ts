import type { AgentChoice, StreamCost } from '../model.ts';
import type { FieldValues } from './read-fields.ts';

export function agentChoice(values: FieldValues): AgentChoice & StreamCost {
  const { agent, maxTurns, network, maxCostUsd }: AgentChoice & StreamCost = values;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(network === undefined ? {} : { network }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  };
}
