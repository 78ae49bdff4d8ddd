// What the commands about a pull request have in common: the run and its branch, approval of what the repository runs, the
// forge, and a way to stop.
import { realpathSync } from 'node:fs';
import type { Manifest } from '../../../manifest/model.ts';
import { projectionOf } from '../../../domain/run/projection.ts';
import { ForgeError } from '../../../git/forges/forge.ts';
import { programsOfRepository } from '../../../git/programs.ts';
import {
  OrchestratorError,
  commandsOf,
  findRun,
  manifestOnBranch,
} from '../../../orchestrator/index.ts';
import type { FoundRun, RequestOptions } from '../../../orchestrator/index.ts';
import { createScrubber } from '../../../platform/log.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { toCommandError as fromOrchestrator } from '../../orchestrator-hints.ts';
import { clientOf } from '../../remote.ts';
import { complain, note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { hostsOfCommands, openableSandbox, wantsSandbox } from '../runs/command-sandbox.ts';
import { findProject } from '../runs/project.ts';
import type { Project } from '../runs/project.ts';
import { createStopControl } from '../runs/stop-control.ts';
import type { StopControl } from '../runs/stop-control.ts';
import { ensureTrusted } from '../runs/trust-commands.ts';
import { findForge, toCommandError } from './find-forge.ts';

const textOf = (options: CommandOptions, name: string) =>
  typeof options[name] === 'string' ? options[name] : undefined;

/** Where the run can be looked at, as long as its server is there. */
function urlOf(server: string, runId: string): string | undefined {
  const url = URL.parse(server);
  const isLocal = url === null || /^(localhost|127\.|\[::1\])/.test(url.hostname);
  return isLocal ? undefined : new URL(`/runs/${runId}`, url).href;
}

export interface RequestCommand {
  project: Project;
  run: FoundRun;
  request: RequestOptions;
  stop: StopControl;
}

interface Place {
  project: Project;
  run: FoundRun;
  manifest: Manifest;
}

/** `remote`: where the request is, if there is one. */
export async function withRequest(
  options: CommandOptions,
  { runId, remote }: { runId: string | undefined; remote?: string },
  work: (command: RequestCommand) => Promise<number>,
): Promise<number> {
  const project = await findProject(options);
  const run = await findRun(project.stateDir, runId);
  const { manifest } = await manifestOnBranch(project, run);
  const sandbox = await approved({ project, run, manifest }, options);
  const stop = createStopControl({
    timeoutMs: undefined,
    onStop: () => complain('stopping...'),
    onLeave: () => complain('Stopped immediately.'),
  });
  try {
    const at = remote === undefined ? options : { ...options, remote };
    const found = await findForge(project, at, stop.signal);
    const request = { ...found, ...requestOptions({ project, run }, options, stop.signal) };
    request.checks.sandbox = sandbox;
    return await work({ project, run, request, stop });
  } catch (error) {
    if (stop.signal.aborted) return stop.exit() ?? EXIT.interrupted;
    if (error instanceof ForgeError) throw toCommandError(error);
    throw error instanceof OrchestratorError ? fromOrchestrator(error) : error;
  } finally {
    stop.close();
  }
}

/** Before anything of the repository is run. */
async function approved(
  { project: { root, settings }, run, manifest }: Place,
  options: CommandOptions,
): Promise<RequestOptions['checks']['sandbox']> {
  const hadOne = projectionOf(run.events).sandbox !== undefined;
  const hosts = hostsOfCommands(manifest, wantsSandbox({ options, settings, hadOne }));
  const sandbox = hosts && (await openableSandbox(hosts));
  const programs = await programsOfRepository(root, ['commit', 'merge', 'push']);
  await ensureTrusted({ commands: commandsOf(manifest), programs, hosts }, root, options);
  return sandbox;
}

function requestOptions(
  { project: { root, settings }, run }: Omit<Place, 'manifest'>,
  options: CommandOptions,
  signal: AbortSignal,
): Omit<RequestOptions, 'forge' | 'remote'> {
  const scrubber = createScrubber();
  const [started] = run.events;
  return {
    target: textOf(options, 'base'),
    title: textOf(options, 'title'),
    isDraft: options['draft'] === true,
    isStack: options['stack'] === true,
    reviewers: Array.isArray(options['reviewer']) ? (options['reviewer'] as string[]) : [],
    copies: settings.worktreeCopyOf.get(realpathSync.native(root)) ?? [],
    runUrl: started?.type === 'run.started' ? urlOf(started.url, run.runId) : undefined,
    checks: {
      sandbox: undefined,
      env: process.env,
      signal,
      scrub: (text) => scrubber.scrub(text),
      onCommand: (stream, command) => note(`${plain(stream)}: ${plain(command)}`),
    },
    onStep: (text) => note(plain(text)),
    client: () => clientOf(options),
    onWait: ({ id, title }) =>
      note(
        `Waiting for approval ${id}: ${plain(title)}. Answer with: ${commandLine('approvals', 'approve', id)}`,
      ),
  };
}
