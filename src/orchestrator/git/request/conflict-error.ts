import { OrchestratorError } from '../../errors.ts';

export function conflictError(
  message: string,
  items: readonly string[],
  hint: string,
): OrchestratorError {
  return new OrchestratorError({ code: 'CONFLICT', message, items, hint });
}
