// What streams would be shown of the project as it is now, before anybody is asked or paid. What
// streams before them will write is not there yet.
import { contextWindowOf } from '../../domain/model/context-window.ts';
import type { ContextRole, OmittedFile, StreamContext } from '../../domain/run/context-files.ts';
import { createContextCollector } from '../context/collect.ts';
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
}

const SHOWN = { full: 'full', outline: 'outline', head: 'beginning' } as const;

/** A stream before it is asked. */
export interface StreamPreview {
  prompt: string;
  /** Of the prompt, the files that are shown to this stream alone. */
  streamContext: string;
  context: ContextPreview;
}

function toPreview(task: RunTask, { files, omitted, tokens }: StreamContext): ContextPreview {
  return {
    tokens,
    maxTokens: contextRequestOf(task).tokenBudget,
    windowTokens: contextWindowOf(task.model),
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
  };
}

export async function previewStreams(
  root: string,
  tasks: readonly RunTask[],
): Promise<Map<string, StreamPreview>> {
  const collector = createContextCollector({ root });
  const sharedReads = sharedReadsOf(tasks);
  const emit = () => undefined as never;
  const preview = async (task: RunTask): Promise<[string, StreamPreview]> => {
    const attempt = { task, attempt: 1, fix: undefined };
    const built = await promptOf({ collector, sharedReads, emit }, attempt);
    const { streamContext } = built.structuredPrompt;
    const context = toPreview(task, built.shown);
    return [task.id, { prompt: built.prompt, streamContext, context }];
  };
  return new Map(await Promise.all(tasks.map(preview)));
}
