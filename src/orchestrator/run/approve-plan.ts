// The gate before the first call of a run: what each stream would do, with which model and which commands.
import { sha256 } from '../../platform/sha256.ts';
import { manifestName } from '../../manifest/model.ts';
import { askApproval, denialText } from './ask-approval.ts';
import type { GateQuestion } from './ask-approval.ts';
import type { RunContext } from './context.ts';
import type { Halt } from '../../domain/run/halt.ts';
import type { RunTask } from './task.ts';

export interface PlanRefusal {
  halt: Halt | undefined;
  /** Who denied it, as a sentence. */
  denial?: string;
}

const list = (name: string, values: readonly string[]) =>
  values.length === 0 ? [] : [`  ${name}: ${values.join(', ')}`];

function textOf(task: RunTask, wave: number): string {
  const commands = task.commands.map(({ command }) => command);
  return [
    `${task.id} (wave ${wave}): ${task.name}`,
    `  by ${task.agent} with ${task.ladder.join(', ')}`,
    ...list('writes', task.owns.length > 0 ? task.owns : ['any file']),
    ...list('reads', task.reads),
    ...list('runs', [...task.setup, ...task.verify, ...commands]),
    ...list('reaches', typeof task.network === 'string' ? [task.network] : task.network),
    ...task.plan.split('\n').map((line) => `  ${line}`),
  ].join('\n');
}

function questionOf({ manifest, tasks, waves, options }: RunContext): GateQuestion {
  const streams = [...tasks.values()].filter(({ root }) => root === undefined);
  const { maxCostUsd, scrub } = options;
  const cap = maxCostUsd === undefined ? [] : [`The run may cost $${maxCostUsd} at most.`];
  const detail = [...cap, ...streams.map((task) => textOf(task, waves.get(task.id) ?? 1))].join(
    '\n\n',
  );
  const name = manifestName(manifest)
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 200);
  const count = `${streams.length} stream${streams.length === 1 ? '' : 's'}`;
  return {
    kind: 'plan',
    title: `Run ${name}: ${count}`,
    detail: scrub(detail),
    format: 'text',
    hash: sha256(detail),
  };
}

/** Undefined when the run may begin. */
export async function approvePlan(context: RunContext): Promise<PlanRefusal | undefined> {
  if (context.manifest.approve?.includes('plan') !== true) return undefined;
  const question = questionOf(context);
  const answer = await askApproval(context, question, {
    signal: context.options.stop,
    onOpen({ id, title }) {
      const message = `The run waits for approval ${id}: ${title}.`;
      context.emit({ type: 'run.note', level: 'info', code: 'APPROVAL', message });
    },
  });
  switch (answer.kind) {
    case 'approved':
      return undefined;
    case 'stopped':
      return { halt: undefined };
    case 'halted':
      return { halt: answer.halt };
    case 'denied':
      return { halt: undefined, denial: denialText(question, answer) };
  }
}
