// Real forms of answers, one by one: each makes exactly the change that it means, or none at all.
import { describe, expect, it } from 'vitest';
import { parseArtifact } from '../../src/domain/artifact/parse-artifact.ts';
import { applyAnswer } from './apply-answer.ts';
import { BLOCKS } from './corpus-blocks.ts';
import { SEEN } from './corpus-issues.ts';
import { LOOSE } from './corpus-loose.ts';
import { NOT_READ, UNCLEAR } from './corpus-unclear.ts';
import { PROJECT, type Answer } from './project.ts';

const isRefused = ({ expect: expected }: Answer) =>
  typeof expected === 'object' && 'refused' in expected;
const READ = [...BLOCKS, ...LOOSE, ...SEEN.filter((each) => !isRefused(each))];
const REFUSED = [...UNCLEAR, ...SEEN.filter(isRefused)];

function check({ answer, files, expect: expected }: Answer): void {
  const before = { ...PROJECT, ...files };
  const outcome = applyAnswer(answer, before);
  if (expected === 'none') return expect(outcome).toEqual({ kind: 'none' });
  if ('reads' in expected) return expect(outcome).toEqual({ kind: 'reads', paths: expected.reads });
  if ('refused' in expected) {
    expect(outcome.kind).toBe('refused');
    return expect(outcome.kind === 'refused' && outcome.why).toContain(expected.refused);
  }
  const after = { ...before, ...expected.files };
  for (const path of expected.gone ?? []) delete after[path];
  if (outcome.kind === 'applied') return expect(outcome.files).toEqual(after);
  return expect(outcome).toEqual({ kind: 'applied' });
}

describe('answers that are read', () => {
  it.each(READ.map((each) => [`${each.name} (${each.source})`, each] as const))('%s', (_, each) => {
    check(each);
  });
});

describe('answers that are asked for again', () => {
  const all = [...REFUSED, ...NOT_READ];
  it.each(all.map((each) => [`${each.name} (${each.source})`, each] as const))('%s', (_, each) => {
    check(each);
  });
});

it('are many, and few of them are not read', () => {
  const counts = {
    forms: READ.length + REFUSED.length + NOT_READ.length,
    unclear: REFUSED.length,
    notRead: NOT_READ.length,
  };
  console.info(`answers: ${JSON.stringify(counts)}`);
  expect(counts.forms).toBeGreaterThan(120);
  expect(counts.notRead).toBeLessThanOrEqual(10);
});

it.each([
  ['delete: a.ts\n', 150_000],
  ['edit: a.ts\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n', 20_000],
])('have any length: %j', (part, times) => {
  // More than a call takes arguments; and a time that grew with the square of it would be minutes.
  for (const answer of [
    part.repeat(times),
    `\`\`\`\`millrace-edits\n${part.repeat(times)}\`\`\`\`\n`,
  ]) {
    expect(parseArtifact(answer, 's').kind).toBe('found');
  }
});
