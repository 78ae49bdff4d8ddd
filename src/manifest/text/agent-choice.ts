import type { AgentChoice, Gates, StreamCost } from '../model.ts';
import type { FieldValues } from './read-fields.ts';

/** Who works, and who is asked. */
export function agentChoice(values: FieldValues): AgentChoice & StreamCost & Gates {
  const { agent, maxTurns, network, maxCostUsd, approve }: AgentChoice & StreamCost & Gates =
    values;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(network === undefined ? {} : { network }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(approve === undefined ? {} : { approve }),
  };
}
