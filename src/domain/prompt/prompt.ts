// The prompt of a stream, in parts that go from what all streams share to what is this one's alone:
// whatever a vendor caches by prefix is then found again by the next stream.
import type { ContextFile, StreamContext } from '../run/context-files.ts';
import { isShared, projectContextOf, streamContextOf } from './prompt-files.ts';
import { SYSTEM_CONTENT } from './prompt-system.ts';
import { breakDirectives, quoted, quotedFile, stripTerminal, tailOf } from './prompt-text.ts';

export interface PromptTask {
  id: string;
  name: string;
  plan: string;
  owns: readonly string[];
  verify: readonly string[];
  maxSteps?: number;
  requireTests?: boolean;
}

export interface FixDetails {
  failed: { command: string; exitCode: number | null; timedOut: boolean; output: string }[];
  error: string;
  /** What was tried and rolled back. */
  diff: string;
  attempt: number;
  of: number;
}

export interface ReaskFailure {
  path: string;
  code: string;
  message: string;
  oldText?: string;
  nearest?: string;
  lines?: number[];
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

const KEPT_OUTPUT = 8 * 1024;
const KEPT_DIFF = 16 * 1024;

function assemble(projectContext: string, streamContext: string, taskContent: string): BuiltPrompt {
  const systemContent = SYSTEM_CONTENT;
  const parts = { systemContent, projectContext, streamContext, taskContent };
  const prompt = Object.values(parts)
    .filter((part) => part !== '')
    .join('\n\n');
  const cachingHints = (['systemContent', 'projectContext', 'streamContext'] as const)
    .filter((part) => parts[part] !== '')
    .map((part) => ({ part, cacheable: true, ttl: '5m' }));
  return { prompt, structuredPrompt: { ...parts, fullPrompt: prompt, cachingHints } };
}

/** Stands last: the words of the plan and of command output must not be taken for it. */
function ownsLines(owns: readonly string[]): string {
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

function howItEnded({ exitCode, timedOut }: FixDetails['failed'][number]): string {
  if (timedOut) return 'ran out of time';
  return exitCode === null ? 'was ended by a signal' : `exited with ${exitCode}`;
}

function fixLines({ failed, error, diff, attempt, of }: FixDetails): string[] {
  const commands = failed.map((one) => {
    const output = tailOf(stripTerminal(one.output), KEPT_OUTPUT);
    const said = output.trim() === '' ? 'It printed nothing.' : quoted(output, 'text');
    return `This command ${howItEnded(one)}:\n${quoted(one.command, 'sh')}\n${said}`;
  });
  return [
    `# What went wrong\n\nThis is attempt ${attempt} of ${of}. The last one failed and its changes were rolled back: the files above are as they were before it.`,
    ...(commands.length > 0 ? commands : [quoted(stripTerminal(error), 'text')]),
    ...(diff === ''
      ? []
      : [`What was tried and did not pass:\n${quoted(diff.slice(0, KEPT_DIFF), 'diff')}`]),
    'Find the cause, then hand in the whole change again, corrected.',
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

export function buildPrompt(input: {
  task: PromptTask;
  context: StreamContext;
  /** Files that several streams are shown. */
  sharedPaths: ReadonlySet<string>;
  fix?: FixDetails;
}): BuiltPrompt {
  const { task, context, sharedPaths, fix } = input;
  const shared: ContextFile[] = [];
  const own: ContextFile[] = [];
  for (const file of context.files) (isShared(file, sharedPaths) ? shared : own).push(file);
  const { omitted } = context;
  return assemble(
    projectContextOf(shared),
    streamContextOf({ files: own, omitted }),
    taskContentOf(task, fix),
  );
}

function showFailure(failure: ReaskFailure, number: number): string {
  const { path, code, message, oldText, nearest, lines } = failure;
  const places = lines && lines.length > 0 ? ` (lines ${lines.join(', ')})` : '';
  return [
    `${number}. ${path}: ${code}: ${breakDirectives(message)}${places}`,
    ...(oldText === undefined ? [] : [`The SEARCH text was:\n${quoted(oldText)}`]),
    ...(nearest === undefined ? [] : [`The nearest lines of the file are:\n${quoted(nearest)}`]),
  ].join('\n');
}

/** Asks once more for those edits alone that found no place, or more than one. */
export function buildReaskPrompt(input: {
  task: PromptTask;
  failures: readonly ReaskFailure[];
  files: readonly { path: string; text: string }[];
}): BuiltPrompt {
  const { task, failures, files } = input;
  const shown = files.map(({ path, text }) => `File: ${path}\n${quotedFile(text, 'text')}`);
  const paths = [...new Set(failures.map(({ path }) => path))];
  const taskContent = [
    `# Task: ${task.name}`,
    task.plan.trim(),
    '# What is needed now\n\nYou did this task, and most of your answer is fine. These edits could not be placed, as their SEARCH text is not in the file, or is in it more than once:',
    ...failures.map((failure, at) => showFailure(failure, at + 1)),
    `Hand in these edits again and nothing else, for ${paths.join(', ')} as shown above. Copy each SEARCH text from the file exactly, with enough lines around it to occur only once. Where that is hard, give the whole new file below \`edit: PATH\` instead. Everything else of your first answer is kept.`,
    ownsLines(task.owns),
  ].join('\n\n');
  return assemble('', `# Files as they are\n\n${shown.join('\n\n')}`, taskContent);
}
