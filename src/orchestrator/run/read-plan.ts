// The manifest of a run, read and put in order.
import type { Manifest } from '../../manifest/model.ts';
import { planManifest } from '../../manifest/plan-manifest.ts';
import type { StreamOrder } from '../../manifest/plan.ts';
import type { Problem } from '../../manifest/problem.ts';
import { parseManifest } from '../../manifest/text/parse.ts';
import { commandsOf } from '../commands/trust.ts';

export class ManifestProblemsError extends Error {
  readonly problems: readonly Problem[];
  /** What they were found in, where the caller does not know it. */
  readonly source: { file: string; text: string } | undefined;
  constructor(problems: readonly Problem[], source?: { file: string; text: string }) {
    super(`The manifest has ${problems.length} problem${problems.length === 1 ? '' : 's'}.`);
    this.name = 'ManifestProblemsError';
    this.problems = problems;
    this.source = source;
  }
}

/** A manifest that was read, with the text it was read from. */
export interface KnownPlan {
  text: string;
  manifest: Manifest;
  order: StreamOrder;
}

export function readPlan(text: string, file: string): Omit<KnownPlan, 'text'> {
  const parsed = parseManifest(text, { file });
  if (parsed.kind === 'invalid') throw new ManifestProblemsError(parsed.problems);
  const order = planManifest(parsed.manifest);
  if (order.kind === 'cyclic') throw new ManifestProblemsError([]);
  return { manifest: parsed.manifest, order };
}

/** It may have been edited between the question and now. */
export function checkCommands(
  manifest: Manifest,
  { commands: agreed, sandbox }: { commands?: ReadonlySet<string>; sandbox?: object },
): void {
  if (manifest.sandboxCommands && sandbox === undefined) {
    throw new Error(
      'The manifest says that its commands run in the sandbox, which it did not say before. Run it again.',
    );
  }
  const fresh = agreed && commandsOf(manifest).find((command) => !agreed.has(command));
  if (fresh === undefined) return;
  throw new Error(
    `The manifest changed after you approved its commands: "${fresh}" is not approved. Run it again.`,
  );
}
