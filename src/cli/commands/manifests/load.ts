// A manifest for a command that needs a valid one.
import type { Manifest } from '../../../manifest/model.ts';
import { PLACEHOLDER_CODE } from '../../../manifest/placeholder.ts';
import { planManifest } from '../../../manifest/plan-manifest.ts';
import type { StreamOrder } from '../../../manifest/plan.ts';
import type { Problem } from '../../../manifest/problem.ts';
import { parseManifest } from '../../../manifest/text/parse.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { complain, note, print, styledNote } from '../../terminal/output.ts';
import { countProblems, showProblems } from './show-problems.ts';
import type { ManifestSource } from './source.ts';

export type Loaded =
  | { kind: 'manifest'; manifest: Manifest; warnings: Problem[] }
  | { kind: 'invalid'; problems: Problem[] };

export function loadManifest({ file, text }: ManifestSource): Loaded {
  const parsed = parseManifest(text, { file });
  const problems = parsed.problems.map((problem) => ({ ...problem, file }));
  if (parsed.kind === 'invalid') return { kind: 'invalid', problems };
  return { kind: 'manifest', manifest: parsed.manifest, warnings: problems };
}

export interface LoadedPlan {
  manifest: Manifest;
  order: StreamOrder;
  warnings: Problem[];
}

/** The manifest and the order of its streams; undefined when it is not valid, which has been reported. */
export function loadPlan(source: ManifestSource, options: CommandOptions): LoadedPlan | undefined {
  const loaded = loadManifest(source);
  if (loaded.kind === 'invalid') {
    reportInvalid(source, loaded.problems, options);
    return undefined;
  }
  warnOfPlaceholders(loaded.warnings);
  const order = planManifest(loaded.manifest);
  if (order.kind === 'cyclic') throw new Error('A valid manifest has no cycles');
  return { manifest: loaded.manifest, order, warnings: loaded.warnings };
}

/** Starting a template as it is means paying for an answer to nothing. */
function warnOfPlaceholders(warnings: readonly Problem[]): void {
  for (const { code, message, hint, file, line } of warnings) {
    if (code !== PLACEHOLDER_CODE) continue;
    note(`${styledNote('yellow', 'warning')} ${file ?? ''}:${line}: ${message}\n${hint}`);
  }
}

export function reportInvalid(
  { file, text }: ManifestSource,
  problems: readonly Problem[],
  options: CommandOptions,
): void {
  const message = `${file} is not a valid manifest (${countProblems(problems)}).`;
  const hint = `Fix it, then check it with: ${commandLine('validate')}`;
  if (options['json']) {
    print(JSON.stringify({ error: { code: 'MANIFEST_INVALID', message, hint, problems } }));
    return;
  }
  for (const shown of showProblems(problems, text, styledNote)) complain(shown);
  complain(`Error: ${message}`);
}
