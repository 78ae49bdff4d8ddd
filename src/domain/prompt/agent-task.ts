// What an agent gets to read: the task and its limits. It looks at the files itself, so none are shown.
import { FIX_BY_AGENT, fixLines, sessionFixLines } from './fix-lines.ts';
import type { FixDetails } from './fix-lines.ts';
import { instructionLines } from './instruction-lines.ts';
import type { ShownInstructions } from './instructions.ts';
import { quoted } from './prompt-text.ts';
import type { PromptTask } from './prompt.ts';

export interface AgentTask {
  task: PromptTask & { reads: readonly string[] };
  instructions: ShownInstructions;
  fix: FixDetails | undefined;
  /** Ours: what its `run` may run. Undefined for a program, which has its own ways. */
  tools?: { commands: readonly string[] };
}

const PLACE =
  'You work in a private copy of the project, in the current folder. When you end, the files that you changed there are taken over; nothing else that you do counts, and nobody reads what you say to decide whether the task is done.';
const ALONE = 'Nobody can answer questions: decide yourself.';
const REPOSITORY =
  'Do not commit; the repository in the folder is only there to look at what you changed.';

function toolLines(commands: readonly string[]): string[] {
  const first = commands.length === 0 ? [] : [`run takes these commands:\n${list(commands)}`];
  return [
    'You see and change files with the tools alone. Paths are relative to the root of the project. You are done when you call done.',
    ...first,
  ];
}

function filesLines(owns: readonly string[], reads: readonly string[]): string[] {
  const first =
    owns.length === 0
      ? 'Change the files that the task needs, and no others.'
      : `You may create, edit and delete only these files (globs and folders count as what is in them); a change of any other file is refused:\n${list(owns)}`;
  return [first, ...(reads.length > 0 ? [`Look at these first:\n${list(reads)}`] : [])];
}

const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');

export function agentTask({ task, instructions, fix, tools }: AgentTask): string {
  const { name, plan, owns, reads, verify, requireTests } = task;
  const commands = verify.map((command) => quoted(command, 'sh'));
  return [
    `# Task: ${name}`,
    plan.trim() === name.trim() ? '' : plan.trim(),
    ...(fix ? fixLines(fix, FIX_BY_AGENT) : []),
    instructionLines(instructions),
    '# Rules',
    tools === undefined ? `${PLACE} ${ALONE} ${REPOSITORY}` : PLACE,
    ...(tools === undefined ? [] : toolLines(tools.commands)),
    ...filesLines(owns, reads),
    requireTests === true ? 'Add or extend tests for everything that you change.' : '',
    ...(commands.length > 0
      ? ['Afterwards these commands are run in the root of the project and must pass:', ...commands]
      : []),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

/** For an agent that continues its session: it has read the task. */
export const agentFix = ({ owns }: Pick<PromptTask, 'owns'>, fix: FixDetails): string =>
  [...sessionFixLines(fix), '# Rules', ...filesLines(owns, [])].join('\n\n');

const UNDO = {
  program:
    'Undo what was refused (`git checkout -- FILE`, or delete what you created), do the task without it, and end.',
  tools: 'Correct or undo what was refused, do the task without it, and call done again.',
};

/** The one chance to do without what was refused. */
export function agentRefusal(
  problems: readonly { path: string; message: string }[],
  by: keyof typeof UNDO = 'program',
): string {
  const lines = problems.slice(0, 50).map(({ path, message }) => `${path}: ${message}`);
  const more = problems.length > 50 ? [`and ${problems.length - 50} more`] : [];
  return [
    'Your changes were not taken over, because of these files:',
    list([...lines, ...more]),
    `Your changes are still in the folder. ${UNDO[by]}`,
  ].join('\n\n');
}
