// An execution as others would start it.
import type { NewExecution } from '../../../src/contract/execution-api.ts';
import { curlOf, typescriptOf } from '../../ui/shell-text.ts';
import { command } from '../../ui/command.ts';
import type { Snippet } from '../../ui/snippets.tsx';

const END_OF_TASK = 'END_OF_TASK';

/** A task of several lines goes in as it is, by standard input: a command that is suggested has one line. */
function execLine(flags: readonly string[], task: string): string {
  const isPlain = !/[\p{Cc}\p{Cf}]/u.test(task.replaceAll('\n', '')) && !task.includes(END_OF_TASK);
  if (!task.includes('\n') || !isPlain) return command('exec', ...flags, '--', task);
  return `${command('exec', ...flags, '-')} <<'${END_OF_TASK}'\n${task}\n${END_OF_TASK}`;
}

export function executionSnippets(asked: {
  task: string;
  model?: string | undefined;
  dryRun?: boolean | undefined;
  maxSteps?: number | undefined;
  budgetUsd?: number | null | undefined;
}): Snippet[] {
  const { task, model, dryRun, maxSteps } = asked;
  const budgetUsd = asked.budgetUsd ?? undefined;
  const options = {
    ...(dryRun ? { dryRun } : {}),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
  };
  const body: NewExecution = {
    task,
    ...(model ? { model } : {}),
    ...(Object.keys(options).length > 0 ? { options } : {}),
  };
  const flags = [
    ...(model ? ['--model', model] : []),
    ...(dryRun ? ['--dry-run'] : []),
    ...(maxSteps === undefined ? [] : ['--max-steps', String(maxSteps)]),
    ...(budgetUsd === undefined ? [] : ['--max-cost', String(budgetUsd)]),
  ];
  return [
    { label: 'CLI', text: execLine(flags, task) },
    { label: 'curl', text: curlOf('POST', `${location.origin}/v1/executions`, body) },
    {
      label: 'TypeScript',
      text: typescriptOf(
        `const { id } = await client.executions.create(${JSON.stringify(body, null, 2)});\nfor await (const { type, data } of client.executions.events(id)) console.log(type, data);`,
      ),
    },
  ];
}
