// Checks manifests and shows what is wrong with them.
import type { Manifest } from '../../../manifest/model.ts';
import type { Problem } from '../../../manifest/problem.ts';
import { parseManifest } from '../../../manifest/text/parse.ts';
import { CommandError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { agentProblems, namedAgents } from '../runs/agents-of-run.ts';
import { countProblems, showProblems } from './show-problems.ts';
import { DEFAULT_MANIFEST, STDIN, readSource } from './source.ts';

async function check(
  file: string,
  options: CommandOptions,
): Promise<{ problems: Problem[]; text: string }> {
  const { text } = await readSource(file, 'validate');
  const parsed = parseManifest(text, { file });
  const ofAgents =
    parsed.kind === 'invalid' ? [] : await problemsOfAgents(parsed.manifest, options);
  const problems = [...parsed.problems, ...ofAgents].map((each) => ({ ...each, file }));
  return { problems, text };
}

/** A manifest without agents is judged by itself; agents are those of this person, on this machine. */
async function problemsOfAgents(manifest: Manifest, options: CommandOptions): Promise<Problem[]> {
  const named = namedAgents(manifest, [...manifest.streams.keys()], undefined);
  if (named.size === 0) return [];
  const settings = readClientSettings(options, process.env, process.cwd());
  const defaults = { model: undefined, fallbackModel: settings.model?.value };
  return agentProblems(manifest, named, settings.agents, defaults);
}

export async function validate(options: CommandOptions, args: string[]): Promise<number> {
  const files = args.length === 0 ? [DEFAULT_MANIFEST] : args;
  if (files.filter((file) => file === STDIN).length > 1) {
    throw new CommandError({
      code: 'USAGE',
      message: 'Standard input (-) can be read only once.',
      hint: 'Use it once, or name files.',
    });
  }
  const all: Problem[] = [];
  for (const file of files) {
    const { problems, text } = await check(file, options);
    all.push(...problems);
    if (options['json']) continue;
    for (const shown of showProblems(problems, text, styled)) print(shown);
  }
  const isBad = (problem: Problem) => problem.severity === 'error' || options['strict'] === true;
  const ok = !all.some(isBad);
  if (options['json']) print(JSON.stringify({ ok, problems: all }));
  else if (all.length > 0) note(countProblems(all));
  else note(files.length === 1 ? `${files[0]} is valid.` : `${files.length} files are valid.`);
  return ok ? EXIT.ok : EXIT.usage;
}
