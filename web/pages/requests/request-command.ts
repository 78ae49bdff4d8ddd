// The command that asks for the same as a button: from any machine, by the id of the run.
import type { NewRunRequest } from '../../../src/contract/run-request-api.ts';
import { command } from '../../ui/command.ts';

/** What is asked of the runner that made a run. */
export type WorkOnRun = Pick<NewRunRequest, 'from' | 'only' | 'model' | 'maxCostUsd'> & {
  run: NonNullable<NewRunRequest['run']>;
};

export function requestCommand(
  project: string,
  { run: { id, action }, from, only = [], model, maxCostUsd }: WorkOnRun,
): string {
  const flag = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [name, String(value)];
  return command(
    'requests',
    'create',
    '--project',
    project,
    '--run',
    id,
    '--action',
    action,
    ...flag('--from', from),
    ...only.flatMap((stream) => ['--only', stream]),
    ...flag('--model', model),
    ...flag('--max-cost', maxCostUsd),
    '--wait',
  );
}
