// The text of a prompt, with what it is about: nothing has to be read first.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { GetPromptResult, PromptMessage } from '@modelcontextprotocol/server';
import { createWalker } from '../../orchestrator/index.ts';
import { allowedIn, whyDenied } from '../denied-files.ts';
import type { SessionDeps, Workspace } from '../deps.ts';
import { EXECUTION_ID_PATTERN } from '../../contract/fields.ts';
import { URIS, artifactUri, executionUri } from '../resources/address.ts';
import { listResources } from '../resources/list.ts';
import { readResource } from '../resources/read.ts';
import { latestWork } from './latest-work.ts';
import type { Work } from './latest-work.ts';
import { MANIFEST_GUIDE } from './manifest-guide.ts';
import { MAX_TASK, PROMPTS } from './prompt-list.ts';
import type { PromptName } from './prompt-list.ts';

type Arguments = Readonly<Record<string, string>>;

const MOST_FILES = 300;

function wrong(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function taskIn({ task = '' }: Arguments): string {
  const text = task.trim();
  if (text === '') throw wrong('task is required: say what to do.');
  if (text.length > MAX_TASK)
    throw wrong(`task is longer than ${MAX_TASK} characters. Shorten it.`);
  return text;
}

const message = (text: string): PromptMessage => ({
  role: 'user',
  content: { type: 'text', text },
});

async function fileList(workspace: Workspace): Promise<string> {
  const { files } = (await createWalker(workspace.root).walk()).listing;
  const allowed = allowedIn(workspace);
  const shown = files.filter((path) => whyDenied(workspace.root, path, allowed) === undefined);
  const left = shown.length - MOST_FILES;
  const more = left > 0 ? `\n(${left} more)` : '';
  return `Files of the project:\n${shown.slice(0, MOST_FILES).join('\n')}${more}`;
}

/** The first page of each. */
async function attached(deps: SessionDeps, uris: readonly string[]): Promise<PromptMessage[]> {
  const messages: PromptMessage[] = [];
  for (const uri of uris) {
    const { contents } = await readResource(deps, uri);
    for (const resource of contents) {
      messages.push({ role: 'user', content: { type: 'resource', resource } });
    }
  }
  return messages;
}

async function messagesOf(
  name: PromptName,
  { deps, workspace }: { deps: SessionDeps; workspace: Workspace },
  given: Arguments,
): Promise<PromptMessage[]> {
  switch (name) {
    case 'plan_manifest': {
      const task = taskIn(given);
      return [
        message(
          `Plan this task as a millrace.yaml with me:\n\n${task}\n\n` +
            '1. Find the files that matter. Call millrace_execute with this task, those files and ' +
            'dryRun: true. It only makes a plan.\n' +
            '2. Show me the plan: its streams, what each writes and waits for, the estimate, and ' +
            'what the comments of its manifest say. Say what you would change, and wait for my answer.\n' +
            '3. Write the manifest of the plan (result.plan.manifest, or the resource in manifestAt) ' +
            'to millrace.yaml with what we agreed on. If there is such a file, ask me before you replace it.\n' +
            `4. Read ${URIS.plan} to check it, as \`millrace plan\` does: it lists mistakes with their ` +
            'lines, or the plan with its cost. Fix the mistakes, and show me the rest.\n' +
            '5. Run nothing until I say so. Then run `millrace run`.',
        ),
        message(MANIFEST_GUIDE),
        message(await fileList(workspace)),
      ];
    }
    case 'review_run': {
      const work = await workIn(deps, workspace, given);
      return work.kind === 'run' ? reviewRun(deps) : reviewExecution(deps, work.id);
    }
    case 'fix_failed': {
      const work = await workIn(deps, workspace, given);
      return work.kind === 'run' ? fixRun(deps) : fixExecution(deps, work.id);
    }
  }
}

async function workIn(
  deps: SessionDeps,
  workspace: Workspace,
  { id = '' }: Arguments,
): Promise<Work> {
  const asked = id.trim();
  if (asked === '') return latestWork(deps, workspace);
  if (EXECUTION_ID_PATTERN.test(asked)) return { kind: 'execution', id: asked };
  throw wrong(
    'id is not the id of an execution: it begins with exec_. Leave it out for the newest.',
  );
}

async function reviewRun(deps: SessionDeps): Promise<PromptMessage[]> {
  return [
    message(
      'Review the last run of Millrace in this project. Look at its state and its changes below. ' +
        'Say what was done, what is wrong or risky in the changes (name file and line), ' +
        'which streams failed and why, and what I should do next.',
    ),
    ...(await attached(deps, [URIS.run, URIS.diff])),
  ];
}

async function fixRun(deps: SessionDeps): Promise<PromptMessage[]> {
  // The run may be one of another manifest, which its state names.
  const hasManifest = (await listResources(deps)).some(({ uri }) => uri === URIS.manifest);
  return [
    message(
      'Streams of the last run of Millrace in this project failed; its state is below. ' +
        'Find the cause of each failure. If it is in the code, fix the code. If the plan of a ' +
        'stream is unclear or wrong, fix it in the manifest. Then tell me to run ' +
        '`millrace run`: completed streams are not run again. If nothing failed, say so.',
    ),
    ...(await attached(deps, hasManifest ? [URIS.run, URIS.manifest] : [URIS.run])),
  ];
}

async function reviewExecution(deps: SessionDeps, id: string): Promise<PromptMessage[]> {
  const [state] = await attached(deps, [executionUri(id)]);
  return [
    message(
      `Review the execution ${id} of Millrace. Its state and its changes, a step at a time, are below. ` +
        'Say what was done, whether the files are written, what is wrong or risky in the changes ' +
        '(name file and line), which steps failed and why, and what I should do next.',
    ),
    ...(state === undefined ? [] : [state]),
    ...(await artifactsOf(deps, id)),
  ];
}

async function fixExecution(deps: SessionDeps, id: string): Promise<PromptMessage[]> {
  return [
    message(
      `The execution ${id} of Millrace is below. Find out why it failed, or why its result could not ` +
        'be written. If the cause is in the project, fix it there. If the task was unclear or too ' +
        'large, run a better one with millrace_execute. If it needs a key, a model or a budget, tell ' +
        'me which. If nothing failed, say so.',
    ),
    ...(await attached(deps, [executionUri(id)])),
  ];
}

/** More can be read by their addresses, which the state leads to. */
const MOST_ARTIFACTS = 5;

async function artifactsOf(deps: SessionDeps, id: string): Promise<PromptMessage[]> {
  const { result } = await (await deps.connect()).executions.get(id);
  const changed = (result?.artifacts ?? []).flatMap(({ operations }, index) =>
    operations.length === 0 ? [] : [artifactUri(id, index)],
  );
  return attached(deps, changed.slice(0, MOST_ARTIFACTS));
}

export async function getPrompt(
  deps: SessionDeps,
  workspace: Workspace,
  { name, arguments: given = {} }: { name: string; arguments?: Arguments | undefined },
): Promise<GetPromptResult> {
  if (!Object.hasOwn(PROMPTS, name)) {
    const known = Object.keys(PROMPTS).join(', ');
    throw wrong(`Unknown prompt "${name.slice(0, 100)}". Prompts: ${known}.`);
  }
  const known = name as PromptName;
  const { description } = PROMPTS[known];
  return { description, messages: await messagesOf(known, { deps, workspace }, given) };
}
