// A manifest from its text: syntax, then fields, then what the streams say about each other. All
// problems are reported at once, except that a text that is no YAML has nothing more to look at.
import type { Event } from 'js-yaml';
import type { Manifest } from '../model.ts';
import type { Problem } from '../problem.ts';
import { findProblems } from '../validate.ts';
import { buildValue } from './build.ts';
import { DEFAULT_MANIFEST_LIMITS } from './limits.ts';
import type { ManifestLimits } from './limits.ts';
import { detectNotation } from './notation.ts';
import { createLocator, createPlaces } from './places.ts';
import type { Places } from './places.ts';
import { createProblemList } from './problem-list.ts';
import type { Finding, ProblemList } from './problem-list.ts';
import { documentFinding, locateByOffset, readEvents } from './read-document.ts';
import { readFeature } from './read-feature.ts';
import type { Reading } from './read-fields.ts';
import { readWorkflow } from './read-workflow.ts';
import { describeValue } from './show.ts';
import { isMapping } from './values.ts';
import type { Value } from './values.ts';

export interface ParseOptions {
  /** Repeated in the problems. */
  file?: string;
  limits?: Partial<ManifestLimits>;
}

export type ParsedManifest =
  /** `problems` are warnings only. */
  | { kind: 'manifest'; manifest: Manifest; problems: Problem[]; places: Places }
  | { kind: 'invalid'; problems: Problem[]; notation?: 'A' | 'B' };

function notAMapping(value: Value): Finding {
  return {
    code: 'NOT_A_MAPPING',
    message: `A manifest must be a mapping of fields, found ${describeValue(value)}.`,
    hint: 'Begin with fields like "feature: search"; millrace init writes an example.',
    path: [],
  };
}

/** Braces are read within milliseconds for a small text; a large one may have more of them. */
function braceBudget(text: string): number {
  return 20_000 + text.length / 50;
}

type Read = { manifest?: Manifest; notation?: 'A' | 'B' };

function readManifest(
  text: string,
  events: readonly Event[],
  options: { limits: ManifestLimits; problems: ProblemList },
): Read {
  const { limits, problems } = options;
  const finding = documentFinding(events);
  if (finding) {
    problems.error(() => finding);
    return {};
  }
  const top = buildValue({ source: text, events, limits, problems });
  if (top === undefined) return {};
  if (!isMapping(top)) {
    problems.error(() => notAMapping(top));
    return {};
  }
  const notation = detectNotation(top);
  if (notation.kind === 'unclear') {
    problems.error(() => notation.finding);
    return {};
  }
  const reading: Reading = {
    problems,
    path: [],
    isPartial: problems.hasErrors,
    braces: { left: braceBudget(text) },
  };
  const read = notation.kind === 'A' ? readWorkflow : readFeature;
  const manifest = read(reading, top, limits);
  findProblems(manifest, problems);
  return { manifest, notation: notation.kind };
}

export function parseManifest(text: string, options: ParseOptions = {}): ParsedManifest {
  const limits = { ...DEFAULT_MANIFEST_LIMITS, ...options.limits };
  const problems = createProblemList(limits.maxProblems);
  const read = readEvents(text, limits);
  if (read.kind === 'problem') {
    problems.error(() => read.finding);
    return {
      kind: 'invalid',
      problems: problems.toProblems(() => locateByOffset(text), options.file),
    };
  }
  const { manifest, notation } = readManifest(text, read.events, { limits, problems });
  const listed = problems.toProblems(() => createLocator(text, read.events), options.file);
  if (manifest && !problems.hasErrors) {
    const places = createPlaces(text, limits.maxDepth);
    return { kind: 'manifest', manifest, problems: listed, places };
  }
  return { kind: 'invalid', problems: listed, ...(notation === undefined ? {} : { notation }) };
}
