// Commands that use the orchestrator: what it refuses is shown with the command to type next.
import { OrchestratorError } from '../../../orchestrator/index.ts';
import type { CommandAction } from '../../command.ts';
import { toCommandError } from '../../orchestrator-hints.ts';

export function withHints(action: CommandAction): CommandAction {
  return async (options, args) => {
    try {
      return await action(options, args);
    } catch (error) {
      throw error instanceof OrchestratorError ? toCommandError(error) : error;
    }
  };
}
