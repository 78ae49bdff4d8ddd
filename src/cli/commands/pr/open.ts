// millrace pr: pushes the branch of a run, and opens a request for it or brings it up to date.
import { realpathSync } from 'node:fs';
import { projectionOf } from '../../../domain/run/projection.ts';
import { ForgeError } from '../../../git/forges/forge.ts';
import { programsOfRepository } from '../../../git/programs.ts';
import {
  OrchestratorError,
  commandsOf,
  decisiveLines,
  findRun,
  manifestOnBranch,
  openRequest,
} from '../../../orchestrator/index.ts';
import type { RequestOutcome } from '../../../orchestrator/index.ts';
import { createScrubber } from '../../../platform/log.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { toCommandError as fromOrchestrator } from '../../orchestrator-hints.ts';
import { clientOf } from '../../remote.ts';
import { countOf } from '../../terminal/figures.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { hostsOfCommands, openableSandbox, wantsSandbox } from '../runs/command-sandbox.ts';
import { findProject } from '../runs/project.ts';
import { createStopControl } from '../runs/stop-control.ts';
import { ensureTrusted } from '../runs/trust-commands.ts';
import { findForge, toCommandError } from './find-forge.ts';

const MOST_OUTPUT = 8;

const textOf = (options: CommandOptions, name: string) =>
  typeof options[name] === 'string' ? options[name] : undefined;

/** Where the run can be looked at, as long as its server is there. */
function urlOf(server: string, runId: string): string | undefined {
  const url = URL.parse(server);
  const isLocal = url === null || /^(localhost|127\.|\[::1\])/.test(url.hostname);
  return isLocal ? undefined : new URL(`/runs/${runId}`, url).href;
}

export async function open(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const { root, settings } = project;
  const run = await findRun(project.stateDir, args[0]);
  const { manifest } = await manifestOnBranch(project, run);
  const projection = projectionOf(run.events);
  const hadOne = projection.sandbox !== undefined;
  const hosts = hostsOfCommands(manifest, wantsSandbox({ options, settings, hadOne }));
  const sandbox = hosts && (await openableSandbox(hosts));
  const programs = await programsOfRepository(root, ['commit', 'merge', 'push']);
  await ensureTrusted({ commands: [...commandsOf(manifest), ...programs], hosts }, root, options);
  const scrubber = createScrubber();
  const stop = createStopControl({
    timeoutMs: undefined,
    onStop: () => complain('stopping...'),
    onLeave: () => complain('Stopped immediately.'),
  });
  try {
    const { forge, remote } = await findForge(project, options, stop.signal);
    const [started] = run.events;
    const outcome = await openRequest(project, run, {
      forge,
      remote,
      target: textOf(options, 'base'),
      title: textOf(options, 'title'),
      isDraft: options['draft'] === true,
      isStack: options['stack'] === true,
      reviewers: Array.isArray(options['reviewer']) ? (options['reviewer'] as string[]) : [],
      copies: settings.worktreeCopyOf.get(realpathSync.native(root)) ?? [],
      runUrl: started?.type === 'run.started' ? urlOf(started.url, run.runId) : undefined,
      checks: {
        sandbox,
        env: process.env,
        signal: stop.signal,
        scrub: (text) => scrubber.scrub(text),
        onCommand: (stream, command) => note(`${plain(stream)}: ${plain(command)}`),
      },
      onStep: (text) => note(plain(text)),
      client: () => clientOf(options),
      onWait: ({ id, title }) =>
        note(
          `Waiting for approval ${id}: ${plain(title)}. Answer with: ${commandLine('approvals', 'approve', id)}`,
        ),
    });
    return report(outcome, forge.word, options);
  } catch (error) {
    if (stop.signal.aborted) return stop.exit() ?? EXIT.interrupted;
    if (error instanceof ForgeError) throw toCommandError(error);
    throw error instanceof OrchestratorError ? fromOrchestrator(error) : error;
  } finally {
    stop.close();
  }
}

function report(outcome: RequestOutcome, word: string, options: CommandOptions): number {
  if (outcome.kind === 'denied') {
    if (options['json']) print(JSON.stringify(outcome));
    else complain(`Nothing was pushed: ${plain(outcome.why)}`);
    return EXIT.failed;
  }
  if (outcome.kind === 'check_failed') {
    const { stream, error, output } = outcome.failed;
    if (options['json']) print(JSON.stringify(outcome));
    else {
      complain(`Nothing was pushed: ${plain(stream)} fails its check: ${plain(error)}`);
      for (const line of decisiveLines(output, MOST_OUTPUT)) complain(`  ${plain(line)}`);
      complain(
        `Fix it on the branch, or have it done: ${commandLine('run', '--git', 'branch=NAME')}`,
      );
    }
    return EXIT.failed;
  }
  const { kind, request, commits, below } = outcome;
  if (options['json']) print(JSON.stringify({ kind, commits, below, ...request }));
  else {
    const verb = kind === 'opened' ? 'Opened' : 'Updated';
    print(
      `${verb} ${word} #${request.number} with ${countOf(commits, 'commit')}: ${plain(request.url)}`,
    );
    if (below.length > 0) print(`It is on top of ${below.map((one) => `#${one}`).join(', ')}.`);
  }
  return EXIT.ok;
}
