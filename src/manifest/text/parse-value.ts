// Any YAML as plain values, within the limits of a manifest: what a model wrote may be made to grow while it is read,
// as a file may. JSON is YAML, with and without the commas that models forget or add.
import type { Problem } from '../problem.ts';
import { buildValue } from './build.ts';
import { DEFAULT_MANIFEST_LIMITS } from './limits.ts';
import type { ManifestLimits } from './limits.ts';
import { createLocator } from './places.ts';
import { createProblemList } from './problem-list.ts';
import type { Locator } from './problem-list.ts';
import { documentFinding, locateByOffset, readEvents } from './read-document.ts';
import type { Value } from './values.ts';

export type ParsedValue =
  | { kind: 'value'; value: Value }
  | { kind: 'invalid'; problems: readonly Problem[] };

export function parseValue(text: string, given: Partial<ManifestLimits> = {}): ParsedValue {
  const limits = { ...DEFAULT_MANIFEST_LIMITS, ...given };
  const problems = createProblemList(limits.maxProblems);
  const invalid = (locate: () => Locator): ParsedValue => ({
    kind: 'invalid',
    problems: problems.toProblems(locate, undefined),
  });
  const read = readEvents(text, limits);
  const finding = read.kind === 'problem' ? read.finding : documentFinding(read.events);
  if (finding) problems.error(() => finding);
  if (finding || read.kind === 'problem') return invalid(() => locateByOffset(text));
  const value = buildValue({ source: text, events: read.events, limits, problems });
  return problems.hasErrors
    ? invalid(() => createLocator(text, read.events))
    : { kind: 'value', value };
}
