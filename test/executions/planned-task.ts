// A task that a plan is read for, without a server.
import type { PlannedTask } from '../../src/domain/execution/known-files.ts';

export function plannedTask({
  files = [],
  contents = {},
  ...given
}: Partial<PlannedTask & PlannedTask['context']> = {}): PlannedTask {
  return {
    task: 'Do it',
    context: { files, contents, environment: 'default' },
    maxSteps: 10,
    provider: 'simulator',
    model: 'sim-instant',
    maxTokens: 8192,
    ...given,
  };
}
