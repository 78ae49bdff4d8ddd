// One request, from its taking to its end: a place, the commands that it comes to, and what became of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RunEvent } from '../contract/run-events.ts';
import { MAX_REQUEST_MANIFEST } from '../contract/run-request-api.ts';
import type { RequestEnd } from '../contract/run-request-api.ts';
import type { TakenRequest } from '../contract/runner-api.ts';
import { plainCommand } from '../domain/command/suggested-command.ts';
import { slugOf } from '../domain/accounts/slug.ts';
import { askGit } from '../git/git.ts';
import { createScrubber } from '../platform/log.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { endOf, failedEnd } from './outcome.ts';
import { PlaceError, isOwners, runIn } from './places.ts';
import type { Place, Places } from './places.ts';
import { requestEnv } from './request-env.ts';
import { earlierChoices, followUpWords, planWords, runWords } from './request-words.ts';
import type { CommandEnd, Commands } from './run-command.ts';
import { runnerHomeOf } from './runner-file.ts';
import type { AllowedProject } from './runner-file.ts';

type End = Pick<RequestEnd, 'status' | 'outcome'>;

export interface RequestRunDeps {
  commands: Commands;
  stateHome: string;
  url: string;
  env: NodeJS.ProcessEnv;
  /** That may work for others; undefined: any that is on this machine. */
  agents: readonly string[] | undefined;
  places: Places;
  /** Whether who asked for it may write to the repository; the text says why not. */
  checkWriter(request: TakenRequest, place: Place): Promise<string | undefined>;
  /** Fails when the request is not this runner's any more. */
  progress(said: { runId?: string; base?: string }): Promise<void>;
}

function notInPlace(name: string): End {
  const message = `The owner of this runner has not allowed runs in the folder of ${name}.`;
  return failedEnd('refused', message, plainCommand('runner', 'allow', name, '--in-place'));
}

/** The same on every runner that takes it: what one began another one continues under this name. */
export function branchOf({ id, work }: Pick<TakenRequest, 'id' | 'work'>): string {
  if (work.branch !== undefined) return work.branch;
  const { task, manifest } = work;
  const path = manifest !== undefined && 'path' in manifest ? manifest.path : undefined;
  const words = task ?? (path === undefined ? 'run' : basename(path).replace(/\.ya?ml$/, ''));
  return `millrace/${slugOf(words.slice(0, 200), 'run')}-${id.slice(-6)}`;
}

export async function runRequest(
  request: TakenRequest,
  project: AllowedProject,
  deps: RequestRunDeps,
  /** Its reason is `cancelled` or `stopping`. */
  signal: AbortSignal,
): Promise<End> {
  const { work } = request;
  const { project: name } = work;
  if (work.inPlace && !project.inPlace) return notInPlace(name);
  const branch = work.inPlace ? undefined : branchOf(request);
  let place: Place;
  try {
    const wanted = { base: request.base, runId: work.run?.id, branch, signal };
    place = await deps.places.take(name, project, wanted);
  } catch (error) {
    if (signal.aborted)
      return endOf({ exitCode: null, said: '' }, { isCancelled: true, branch: undefined });
    const { message } = error as Error;
    const remedy = error instanceof PlaceError ? error.remedy : undefined;
    return failedEnd('not_found', message, remedy);
  }
  try {
    if (branch !== undefined && (await isOwners(place.root, deps.stateHome, branch))) {
      const message = `${branch} is a branch of the owner of this runner. Choose another name.`;
      return failedEnd('refused', message);
    }
    const refused = await deps.checkWriter(request, place);
    if (refused !== undefined) return failedEnd('refused', refused);
    await deps.progress({ base: place.base });
    return await doWork(request, { project, place, deps, signal });
  } finally {
    place.release();
  }
}

interface Work {
  project: AllowedProject;
  place: Place;
  deps: RequestRunDeps;
  signal: AbortSignal;
}

async function doWork(request: TakenRequest, all: Work): Promise<End> {
  const { work } = request;
  const { place, signal, project, deps } = all;
  const command = commandsOf(request, all);
  const isCancelled = () => signal.aborted;
  const { run } = work;
  const [started] = run ? ((await runIn(place.root, deps.stateHome, run.id))?.events ?? []) : [];
  if (run !== undefined && started?.type !== 'run.started') {
    return failedEnd('not_found', `The files of ${run.id} are not on this runner any more.`);
  }
  const earlier = started?.type === 'run.started' ? started : undefined;
  if (earlier !== undefined && earlier.requestId === undefined) {
    const message = `${run!.id} is a run of the owner of this runner: no request made it.`;
    return failedEnd('refused', message);
  }
  // What is done with such a run changes the same files.
  if (earlier !== undefined && earlier.branch === undefined && !project.inPlace) {
    return notInPlace(work.project);
  }
  if (run !== undefined && run.action !== 'resume' && run.action !== 'again') {
    const end = await command(followUpWords(run.action, run.id));
    const last = endOf(end, { isCancelled: isCancelled(), branch: undefined });
    return run.action === 'request' || run.action === 'fix' ? withRequestUrl(last, end) : last;
  }
  const folder = join(runnerHomeOf(deps.stateHome), 'requests', request.id);
  makeFolder(folder, 0o700);
  const what = earlier
    ? whatOfRun(request, earlier, place)
    : await manifestOf(request, { ...all, folder, command });
  if ('status' in what) return what;
  const { file, branch } = what;
  if (work.planOnly) return plannedEnd(file);
  const base = run === undefined ? place.base : undefined;
  const choices = earlier === undefined ? {} : earlierChoices(earlier.args ?? []);
  const end = await command(runWords({ ...choices, ...work }, { file, branch, base }));
  if (end.exitCode !== 0 || !work.openRequest || end.runId === undefined) {
    return endOf(end, { isCancelled: isCancelled(), branch });
  }
  const opened = await command(followUpWords('request', end.runId));
  return withRequestUrl(endOf(opened, { isCancelled: isCancelled(), branch }), opened);
}

function plannedEnd(file: string): End {
  const manifest = readFileSync(file, 'utf8');
  if (manifest.length > MAX_REQUEST_MANIFEST) {
    return failedEnd('unusable', 'The plan is too long to be sent. Ask for less at a time.');
  }
  return { status: 'completed', outcome: { message: '', manifest } };
}

/** The address that the command has printed with the pull request. */
function withRequestUrl(end: End, { said }: CommandEnd): End {
  const requestUrl = /^(?:Opened|Updated) .*: (https?:\/\/\S+)$/m.exec(said)?.[1];
  return requestUrl === undefined ? end : { ...end, outcome: { ...end.outcome, requestUrl } };
}

type RunIt = (words: readonly string[]) => Promise<CommandEnd & { runId: string | undefined }>;

function commandsOf(request: TakenRequest, { project, place, deps, signal }: Work): RunIt {
  const { token } = request;
  const scrubber = createScrubber();
  scrubber.add(token);
  for (const value of Object.values(project.env)) if (value.length >= 6) scrubber.add(value);
  const env = requestEnv(deps.env, {
    request,
    url: deps.url,
    root: place.root,
    project,
    agents: deps.agents,
  });
  return async (words) => {
    let runId: string | undefined;
    let noted: Promise<void> | undefined;
    const end = await deps.commands.run(
      { args: words, cwd: place.root, env },
      {
        signal,
        onRun(started) {
          runId = started;
          // Should it be lost, the next report of it says the same; one that is refused stops the run by its lease.
          noted = deps.progress({ runId: started }).catch(() => undefined);
        },
      },
    );
    // After the end of the request it would be refused.
    await noted;
    return { ...end, said: scrubber.scrub(end.said), runId };
  };
}

interface WhatToRun {
  file: string;
  branch: string | undefined;
}

type Started = Extract<RunEvent, { type: 'run.started' }>;

/** The manifest of a run that was made before. */
function whatOfRun(request: TakenRequest, started: Started, { root }: Place): WhatToRun {
  const { work } = request;
  const file = join(root, started.file);
  const earlier = started.branch?.name;
  if (earlier === undefined || work.run?.action === 'resume') return { file, branch: earlier };
  // What single streams need is on the branch of the run.
  const isPart = work.from !== undefined || work.only !== undefined;
  return { file, branch: isPart ? (work.branch ?? earlier) : branchOf(request) };
}

/** The manifest to run, and the branch. */
async function manifestOf(
  request: TakenRequest,
  { place, folder, command }: Work & { folder: string; command: RunIt },
): Promise<WhatToRun | End> {
  const { work } = request;
  const branch = work.inPlace ? undefined : branchOf(request);
  const { manifest } = work;
  if (manifest === undefined) {
    const file = join(folder, 'millrace.yaml');
    const planned = await command(planWords(work, file));
    return planned.exitCode === 0
      ? { file, branch }
      : endOf(planned, { isCancelled: false, branch: undefined });
  }
  if ('text' in manifest) {
    const file = join(folder, 'millrace.yaml');
    writeFileSync(file, manifest.text, { mode: 0o600 });
    return { file, branch };
  }
  const { path } = manifest;
  // In place it keeps its state, as for a person who works there.
  if (work.inPlace) return { file: join(place.root, path), branch };
  const text = await askGit(place.root, ['show', `${place.base}:${path}`]);
  if (text === undefined) {
    const message = `There is no ${path} in the commit ${place.base.slice(0, 12)}.`;
    return failedEnd('not_found', message);
  }
  const file = join(folder, path);
  makeFolder(dirname(file), 0o700);
  writeFileSync(file, text, { mode: 0o600 });
  return { file, branch };
}
