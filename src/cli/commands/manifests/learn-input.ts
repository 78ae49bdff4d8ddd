// What `learn` works on: also a manifest whose only fault is that its deps go in circles, because
// that is what it is asked to tell about.
import { parseEvents } from 'js-yaml';
import { shapesOf } from '../../../manifest/plan-manifest.ts';
import type { Problem } from '../../../manifest/problem.ts';
import type { StreamShape } from '../../../manifest/stream-graph.ts';
import { buildValue } from '../../../manifest/text/build.ts';
import { DEFAULT_MANIFEST_LIMITS } from '../../../manifest/text/limits.ts';
import { createProblemList } from '../../../manifest/text/problem-list.ts';
import { readFeature } from '../../../manifest/text/read-feature.ts';
import { isMapping } from '../../../manifest/text/values.ts';
import { loadManifest } from './load.ts';
import type { ManifestSource } from './source.ts';

export type LearnInput =
  | { kind: 'streams'; streams: ReadonlyMap<string, StreamShape> }
  | { kind: 'invalid'; problems: Problem[] };

/** The streams of a text that is known to have no fault in its fields. */
function readCyclic(text: string): ReadonlyMap<string, StreamShape> | undefined {
  const limits = DEFAULT_MANIFEST_LIMITS;
  const problems = createProblemList(limits.maxProblems);
  const events = parseEvents(text, { maxDepth: limits.maxDepth });
  const top = buildValue({ source: text, events, limits, problems });
  if (!isMapping(top)) return undefined;
  const braces = { left: Number.MAX_SAFE_INTEGER };
  return readFeature({ problems, path: [], braces, isPartial: false }, top, limits).streams;
}

export function readForLearning(source: ManifestSource): LearnInput {
  const loaded = loadManifest(source);
  if (loaded.kind === 'manifest') return { kind: 'streams', streams: shapesOf(loaded.manifest) };
  const errors = loaded.problems.filter(({ severity }) => severity === 'error');
  const onlyCycles = errors.every(({ code }) => code === 'CYCLE');
  const streams = onlyCycles ? readCyclic(source.text) : undefined;
  return streams === undefined ? loaded : { kind: 'streams', streams };
}
