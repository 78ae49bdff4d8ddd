// The prompt of a stream, in parts that go from what all streams share to what is this one's alone:
// whatever a vendor caches by prefix is then found again by the next stream.
import type { ContextFile, StreamContext } from '../run/context-files.ts';
import { fixLines } from './fix-lines.ts';
import type { FixDetails } from './fix-lines.ts';
import { instructionLines } from './instruction-lines.ts';
import { NO_INSTRUCTIONS } from './instructions.ts';
import type { ShownInstructions } from './instructions.ts';
import { isShared, projectContextOf, streamContextOf } from './prompt-files.ts';
import { SYSTEM_CONTENT, SYSTEM_CONTENT_WITH_READS } from './prompt-system.ts';
import { quoted } from './prompt-text.ts';

export interface PromptTask {
  id: string;
  name: string;
  plan: string;
  owns: readonly string[];
  verify: readonly string[];
  maxSteps?: number;
  requireTests?: boolean;
}

export interface BuiltPrompt {
  prompt: string;
  structuredPrompt: {
    systemContent: string;
    projectContext: string;
    streamContext: string;
    taskContent: string;
    fullPrompt: string;
    cachingHints: unknown[];
  };
}

/** How a call stands to others. */
export interface PromptOptions {
  /** The model may ask for files, and is then asked again. */
  mayRead?: boolean;
  /** Earlier calls of the same attempt began with the same text, so later ones may as well. */
  isFollowUp?: boolean;
  /** As those had it. */
  systemContent?: string;
}

/** Parts without text are left out. */
export function assemble(
  projectContext: string,
  streamContext: string,
  taskContent: string,
  { mayRead = true, isFollowUp = false, ...given }: PromptOptions = {},
): BuiltPrompt {
  const own = mayRead ? SYSTEM_CONTENT_WITH_READS : SYSTEM_CONTENT;
  const { systemContent = own } = given;
  const parts = { systemContent, projectContext, streamContext, taskContent };
  const prompt = Object.values(parts)
    .filter((part) => part !== '')
    .join('\n\n');
  // To write into a cache costs more than not to: what is this stream's own is worth it only when
  // it is asked more than once.
  const isKept = { systemContent: true, projectContext: true, streamContext: isFollowUp };
  const cachingHints = (['systemContent', 'projectContext', 'streamContext'] as const)
    .filter((part) => parts[part] !== '')
    .map((part) =>
      isKept[part] ? { part, cacheable: true, ttl: '5m' } : { part, cacheable: false },
    );
  return { prompt, structuredPrompt: { ...parts, fullPrompt: prompt, cachingHints } };
}

/** Stands last: the words of the plan and of command output must not be taken for it. */
export function ownsLines(owns: readonly string[]): string {
  if (owns.length > 0) {
    return `owns: ${owns.join(', ')}\n\nCreate, edit or delete only files that this line covers.`;
  }
  return 'owns:\n\nNo files are named: change those that the task needs, and no others.';
}

function limitsOf({ verify, maxSteps, requireTests }: PromptTask): string[] {
  const limits: string[] = [];
  if (maxSteps !== undefined) limits.push(`- Keep the work to at most ${maxSteps} steps.`);
  if (requireTests === true) {
    limits.push('- Tests are required: add or extend tests for everything that you change.');
  }
  const commands = verify.map((command) => quoted(command, 'sh'));
  return [
    ...(limits.length > 0 ? [`Limits:\n${limits.join('\n')}`] : []),
    ...(commands.length > 0
      ? [`Afterwards these commands are run in the project's root and must pass:`, ...commands]
      : []),
  ];
}

function taskContentOf(task: PromptTask, fix: FixDetails | undefined): string {
  return [
    `# Task: ${task.name}`,
    task.plan.trim() === task.name.trim() ? '' : task.plan.trim(),
    ...(fix ? fixLines(fix) : []),
    ...limitsOf(task),
    ownsLines(task.owns),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

export interface PromptInput extends PromptOptions {
  task: PromptTask;
  context: StreamContext;
  /** Files that several streams are shown, in the order in which all of them show them. */
  sharedPaths: ReadonlySet<string>;
  /** Of the repository, for the folder of the task. */
  instructions?: ShownInstructions;
  fix?: FixDetails;
}

export function buildPrompt(input: PromptInput): BuiltPrompt {
  const { task, context, sharedPaths, instructions = NO_INSTRUCTIONS, fix } = input;
  const shared: ContextFile[] = [];
  const own: ContextFile[] = [];
  for (const file of context.files) (isShared(file, sharedPaths) ? shared : own).push(file);
  const { omitted, listing } = context;
  // Streams of one folder have the instructions in common even where they read other files.
  const project = [instructionLines(instructions), projectContextOf(shared, sharedPaths)];
  return assemble(
    project.filter((block) => block !== '').join('\n\n'),
    streamContextOf({ files: own, omitted, ...(listing !== undefined && { listing }) }),
    taskContentOf(task, fix),
    input,
  );
}
