// What streams would be shown of the project as it is now, before anybody is asked or paid. What
// streams before them will write is not there yet.
import { realpathSync } from 'node:fs';
import { contextWindowOf } from '../../domain/model/context-window.ts';
import type { ShownInstructions } from '../../domain/prompt/instructions.ts';
import type { ContextRole, OmittedFile, StreamContext } from '../../domain/run/context-files.ts';
import { ANSWER } from '../../manifest/model.ts';
import { createContextCollector } from '../context/collect.ts';
import { createFileReader } from '../../project/project-file.ts';
import { agentText } from './agent-text.ts';
import { WITHOUT_INSTRUCTIONS, currentInstructions } from './instructions.ts';
import { sharedReadsOf } from './shared-reads.ts';
import { contextRequestOf, promptOf } from './stream-prompt.ts';
import type { RunTask } from './task.ts';

export interface PreviewedFile {
  path: string;
  /** Why it is shown. */
  role: ContextRole;
  shown: 'full' | 'outline' | 'beginning';
  tokens: number;
}

export interface ContextPreview {
  /** Of the files and the list of the project's files. */
  tokens: number;
  /** How many there may be. */
  maxTokens: number;
  /** What the model takes in and gives out together. */
  windowTokens: number;
  files: PreviewedFile[];
  omitted: Omit<OmittedFile, 'bytes'>[];
  /** Of the repository; their tokens come on top. */
  instructions: {
    files: { path: string; shown: 'full' | 'beginning'; tokens: number }[];
    cut: { path: string; reason: string }[];
  };
}

const SHOWN = { full: 'full', outline: 'outline', head: 'beginning' } as const;

/** A stream before it is asked. */
export interface StreamPreview {
  prompt: string;
  /** Of the prompt, the files that are shown to this stream alone. */
  streamContext: string;
  context: ContextPreview;
}

function toPreview(
  task: RunTask,
  { files, omitted, tokens }: StreamContext,
  instructions: ShownInstructions,
): ContextPreview {
  return {
    tokens,
    maxTokens: contextRequestOf(task, instructions).tokenBudget,
    windowTokens: contextWindowOf(task.model, task.windowTokens),
    files: files.map((file) => ({
      path: file.path,
      role: file.role,
      shown: SHOWN[file.included],
      tokens: file.tokens,
    })),
    omitted: omitted.map(({ path, reason, cause, role }) => ({
      path,
      reason,
      ...(cause !== undefined && { cause }),
      ...(role !== undefined && { role }),
    })),
    instructions: {
      files: instructions.files.map((file) => ({
        path: file.path,
        shown: SHOWN[file.included],
        tokens: file.tokens,
      })),
      cut: [...instructions.cut],
    },
  };
}

async function openProject(
  root: string,
  tasks: readonly RunTask[],
  options: { instructions?: boolean | undefined },
) {
  const collector = createContextCollector({ root });
  const reader = createFileReader(realpathSync.native(root));
  const instructions =
    options.instructions === false
      ? WITHOUT_INSTRUCTIONS
      : await currentInstructions(tasks, { collector, reader });
  return { collector, instructions };
}

/** What agents would be given to do, by stream; nothing for those that a model answers. */
export async function previewAgentTasks(
  root: string,
  tasks: readonly RunTask[],
  options: { instructions?: boolean | undefined; commands?: readonly string[] | undefined } = {},
): Promise<Map<string, string>> {
  const ofAgents = tasks.filter(({ agent }) => agent !== ANSWER);
  const { instructions } = await openProject(root, ofAgents, options);
  const given = { instructions, fix: undefined, commands: options.commands };
  return new Map(ofAgents.map((task) => [task.id, agentText(task, given)]));
}

export async function previewStreams(
  root: string,
  tasks: readonly RunTask[],
  options: { instructions?: boolean | undefined } = {},
): Promise<Map<string, StreamPreview>> {
  const { collector, instructions } = await openProject(root, tasks, options);
  const sharedReads = sharedReadsOf(tasks);
  const emit = () => undefined as never;
  const preview = async (task: RunTask): Promise<[string, StreamPreview]> => {
    const attempt = { task, attempt: 1, fix: undefined };
    const built = await promptOf({ collector, sharedReads, instructions, emit }, attempt);
    const { streamContext } = built.structuredPrompt;
    const context = toPreview(task, built.shown, built.instructions);
    return [task.id, { prompt: built.prompt, streamContext, context }];
  };
  return new Map(await Promise.all(tasks.map(preview)));
}
