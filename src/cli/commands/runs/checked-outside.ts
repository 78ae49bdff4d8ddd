// How the checks of streams are run and shown where no run is under way.
import { realpathSync } from 'node:fs';
import { ManifestProblemsError, commandsOf, decisiveLines } from '../../../orchestrator/index.ts';
import type { SubmitOptions } from '../../../orchestrator/index.ts';
import { createScrubber } from '../../../platform/log.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { clip } from '../../terminal/text-width.ts';
import { reportInvalid } from '../manifests/load.ts';
import { hostsOfCommands, openableSandbox, wantsSandbox } from './command-sandbox.ts';
import type { Project } from './project.ts';
import { ensureTrusted } from './trust-commands.ts';

const MOST_OUTPUT = 5;
const OUTPUT_WIDTH = 100;

export function checkedBy(
  project: Project,
  options: CommandOptions,
  signal: AbortSignal,
): SubmitOptions {
  const scrubber = createScrubber();
  let isSandboxed = false;
  return {
    copies: project.settings.worktreeCopyOf.get(realpathSync.native(project.root)) ?? [],
    env: process.env,
    signal,
    scrub: (text) => scrubber.scrub(text),
    async approve(manifest, { isSandboxed: hadOne }) {
      const { settings } = project;
      const hosts = hostsOfCommands(manifest, wantsSandbox({ options, settings, hadOne }));
      const sandbox = hosts && (await openableSandbox(hosts));
      isSandboxed = sandbox !== undefined;
      await ensureTrusted({ commands: commandsOf(manifest), hosts }, project.root, options);
      return sandbox;
    },
    onStream: ({ id, name }) => note(`${plain(id)}: ${plain(name)}`),
    onCommand: (command) => note(`  ${plain(command)}${isSandboxed ? ' (sandbox)' : ''}`),
    onProblem: (message) => note(message),
  };
}

/** The lines that say what went wrong. */
export const shownOutput = (output: string): string[] =>
  decisiveLines(output, MOST_OUTPUT).map((line) => clip(line, OUTPUT_WIDTH));

/** Shows what is wrong with the manifest; throws any other error again. */
export function exitOfInvalid(error: unknown, options: CommandOptions): number {
  if (!(error instanceof ManifestProblemsError) || error.source === undefined) throw error;
  const { file } = error.source;
  const problems = error.problems.map((problem) => ({ ...problem, file }));
  reportInvalid(error.source, problems, options);
  return EXIT.usage;
}
