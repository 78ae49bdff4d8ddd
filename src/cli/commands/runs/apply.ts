// millrace apply: writes what a run kept.
import { createScrubber } from '../../../platform/log.ts';
import {
  ManifestProblemsError,
  applyKept,
  decisiveLines,
  findRun,
} from '../../../orchestrator/index.ts';
import type { AppliedKept, FoundRun } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { clip } from '../../terminal/text-width.ts';
import { reportInvalid } from '../manifests/load.ts';
import type { Project } from './project.ts';
import { findProject } from './project.ts';
import { createStopControl } from './stop-control.ts';
import { ensureTrusted } from './trust-commands.ts';

const MOST_OUTPUT = 5;
const OUTPUT_WIDTH = 100;

export async function apply(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const run = await findRun(project.stateDir, args[0]);
  return applyRun(project, run, options);
}

async function applyRun(project: Project, run: FoundRun, options: CommandOptions): Promise<number> {
  const scrubber = createScrubber();
  const stop = createStopControl({
    timeoutMs: undefined,
    onStop: () => complain('stopping...'),
    onLeave: () => complain('Left at once.'),
  });
  try {
    const result = await applyKept(project, run, {
      file: typeof options['file'] === 'string' ? options['file'] : undefined,
      env: process.env,
      signal: stop.signal,
      scrub: (text) => scrubber.scrub(text),
      now: () => new Date(),
      approve: (commands) => ensureTrusted(commands, project.root, options),
      onStream: ({ id, name }) => note(`${plain(id)}: ${plain(name)}`),
      onCommand: (command) => note(`  ${plain(command)}`),
      onProblem: (message) => note(message),
    });
    show(result, options);
    return result.failed ? (stop.exit() ?? EXIT.failed) : EXIT.ok;
  } catch (error) {
    if (!(error instanceof ManifestProblemsError) || error.source === undefined) throw error;
    const { file } = error.source;
    const problems = error.problems.map((problem) => ({ ...problem, file }));
    reportInvalid(error.source, problems, options);
    return EXIT.usage;
  } finally {
    stop.close();
  }
}

function show({ runId, manifestFile, applied, failed }: AppliedKept, options: CommandOptions) {
  const lines = decisiveLines(failed?.output ?? '', MOST_OUTPUT);
  const output = lines.map((line) => clip(line, OUTPUT_WIDTH));
  if (options['json']) {
    print(JSON.stringify({ runId, applied, ...(failed && { failed: { ...failed, output } }) }));
    return;
  }
  for (const { stream, files } of applied) {
    print(`applied ${plain(stream)}  ${files.map(plain).join(', ') || 'nothing to change'}`);
  }
  if (failed === undefined) return;
  complain(`Error: ${plain(failed.stream)} was not applied: ${plain(failed.error)}`);
  for (const line of output) complain(`  ${plain(line)}`);
  const again = commandLine('run', manifestFile, '--only', failed.stream);
  complain(`Run it again, with fixes: ${again}`);
}
