// The plan that an answer proposes: JSON as it is asked for, or YAML, which has JSON in it and is what a manifest is
// written in. Nothing of it is believed: rules repair it.
import { readProposal } from '../../manifest/compose/proposal.ts';
import type { ReadProposal } from '../../manifest/compose/proposal.ts';
import type { Problem } from '../../manifest/problem.ts';
import { parseValue } from '../../manifest/text/parse-value.ts';
import { findFences } from '../artifact/fences.ts';

const MAX_PLAN_BYTES = 1024 * 1024;
const MAX_PROBLEMS = 20;
const STREAMS = /(?:^[ \t]*|["'])streams["']?[ \t]*:/m;

function lineAfter(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/** The last fenced block that looks like a plan, also one that the answer forgot to close. */
function fencedPlan(output: string): string | undefined {
  const fences = findFences(output);
  let found: string | undefined;
  for (let fence = 0; fence < fences.count;) {
    if (fences.infoOf(fence) === undefined) {
      fence += 1;
      continue;
    }
    const closer = fences.closerOf(fence);
    const end = closer < 0 ? output.length : fences.startOf(closer);
    const body = output.slice(lineAfter(output, fences.startOf(fence)), end);
    if (STREAMS.test(body)) found = body;
    fence = (closer < 0 ? fence : closer) + 1;
  }
  return found;
}

/** Without fences: what is between the outermost braces, or the whole answer. */
function barePlan(output: string): string | undefined {
  const from = output.indexOf('{');
  const braced = from < 0 ? '' : output.slice(from, output.lastIndexOf('}') + 1);
  if (/["']streams["'][ \t]*:/.test(braced)) return braced;
  return STREAMS.test(output) ? output : undefined;
}

function describe({ path, message, hint, line }: Problem): string {
  const place = path === '' ? '' : `${path}: `;
  return `line ${line}: ${place}${message} ${hint}`.trim();
}

export function readPlanAnswer(output: string): ReadProposal {
  const text = fencedPlan(output) ?? barePlan(output);
  if (text === undefined) {
    const problem = 'There is no fenced block with a plan (JSON with "streams") in it.';
    return { kind: 'invalid', problems: [problem] };
  }
  const parsed = parseValue(text, { maxBytes: MAX_PLAN_BYTES });
  if (parsed.kind === 'value') return readProposal(parsed.value);
  return { kind: 'invalid', problems: parsed.problems.slice(0, MAX_PROBLEMS).map(describe) };
}
