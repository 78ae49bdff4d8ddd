// The plan that a model's answer holds: a manifest of notation B in a fenced block.
import { STREAM_ID_PATTERN } from '../../contract/fields.ts';
import { findFences } from '../artifact/fences.ts';
import type { FeatureManifest } from '../../manifest/model.ts';
import { planStreams } from '../../manifest/plan.ts';
import type { StreamOrder } from '../../manifest/plan.ts';
import type { Problem } from '../../manifest/problem.ts';
import { parseManifest } from '../../manifest/text/parse.ts';
import type { PlannedStep } from './model.ts';

export type ReadPlan =
  | { kind: 'plan'; steps: PlannedStep[] }
  | { kind: 'invalid'; problems: string[] };

const MAX_PLAN_BYTES = 1024 * 1024;
const MAX_PROBLEMS = 20;
const MAX_NAME = 200;
/** Entries of `owns` and `reads` of one stream. */
const MAX_ENTRIES = 1000;

function lineAfter(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/** The last fenced block that looks like a manifest; without fences, the whole answer if it does. */
function findManifest(output: string): string | undefined {
  const looksLikeOne = (text: string) => /^streams[ \t]*:/m.test(text);
  const fences = findFences(output);
  let found: string | undefined;
  for (let fence = 0; fence < fences.count;) {
    const closer = fences.closerOf(fence);
    if (closer < 0 || fences.infoOf(fence) === undefined) {
      fence += 1;
      continue;
    }
    const body = output.slice(lineAfter(output, fences.startOf(fence)), fences.startOf(closer));
    if (looksLikeOne(body)) found = body;
    fence = closer + 1;
  }
  return found ?? (looksLikeOne(output) ? output : undefined);
}

function describe({ path, message, hint, line }: Problem): string {
  const place = path === '' ? '' : `${path}: `;
  return `${line === undefined ? '' : `line ${line}: `}${place}${message} ${hint}`.trim();
}

/** As it may stand in lists and terminals. */
export function plainName(text: string, fallback: string): string {
  const plain = text
    .slice(0, MAX_NAME)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return plain === '' ? fallback : plain;
}

function toSteps({ streams }: FeatureManifest, order: StreamOrder): PlannedStep[] {
  const positionOf = new Map([...streams.keys()].map((id, position) => [id, position]));
  return [...streams.values()].map((stream) => {
    const planned = order.streams.get(stream.id)!;
    return {
      streamId: stream.id,
      name: plainName(stream.name, stream.id),
      wave: planned.wave,
      plan: stream.plan ?? stream.name,
      deps: stream.deps,
      owns: stream.owns,
      reads: stream.reads,
      waitsFor: planned.waitsFor.map(({ id }) => positionOf.get(id)!),
    };
  });
}

function checkStreams({ streams }: FeatureManifest, maxSteps: number): string[] {
  const problems: string[] = [];
  if (streams.size === 0) problems.push('There are no streams; plan at least one.');
  if (streams.size > maxSteps) {
    problems.push(`There are ${streams.size} streams; at most ${maxSteps} are allowed.`);
  }
  for (const [id, { owns, reads }] of streams) {
    if (owns.length > MAX_ENTRIES || reads.length > MAX_ENTRIES) {
      problems.push(
        `The stream ${id.slice(0, 80)} names more than ${MAX_ENTRIES} files; use globs.`,
      );
    }
    if (!STREAM_ID_PATTERN.test(id)) {
      problems.push(
        `The stream id ${JSON.stringify(id.slice(0, 80))} must be 1 to 128 letters, digits, ".", "_", ":" or "-".`,
      );
    }
  }
  return problems;
}

export function readPlan(output: string, maxSteps: number): ReadPlan {
  const invalid = (problems: string[]): ReadPlan => ({
    kind: 'invalid',
    problems: problems.slice(0, MAX_PROBLEMS),
  });
  const text = findManifest(output);
  if (text === undefined) {
    return invalid(['There is no fenced block with a manifest (a mapping with "streams") in it.']);
  }
  const parsed = parseManifest(text, { limits: { maxBytes: MAX_PLAN_BYTES } });
  if (parsed.kind === 'invalid') return invalid(parsed.problems.map(describe));
  const { manifest } = parsed;
  if (manifest.notation !== 'B') {
    return invalid(['The manifest is in notation A; use "feature" and streams with "name".']);
  }
  const problems = checkStreams(manifest, maxSteps);
  if (problems.length > 0) return invalid(problems);
  const order = planStreams(manifest.streams);
  if (order.kind === 'cyclic') {
    return invalid(
      order.cycles.map(
        ({ witness }) => `These streams wait for each other: ${witness.join(', ')}.`,
      ),
    );
  }
  return { kind: 'plan', steps: toSteps(manifest, order) };
}
