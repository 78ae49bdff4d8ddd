import { expect, it } from 'vitest';
import { failingPart } from '../../src/domain/run/failing-part.ts';

const at = (second: number, text: string) =>
  `2026-11-19T08:00:${String(second).padStart(2, '0')}.1234567Z ${text}`;

it('is the step of GitHub that failed, without times, colours and what came after it', () => {
  const log = [
    `\ufeff${at(1, '##[group]Run npm ci')}`,
    at(2, 'added 12 packages'),
    at(3, '##[endgroup]'),
    at(4, '##[group]Run npm test'),
    at(5, '\u001b[36;1mnpm test\u001b[0m'),
    at(6, '##[endgroup]'),
    at(7, '##[error]src/a.ts:3 expected 1, got 2'),
    at(8, '\u001b[31mFAIL\u001b[0m src/a.test.ts'),
    at(9, '##[error]Process completed with exit code 1.'),
    at(10, 'Post job cleanup.'),
    at(11, '##[group]Run after'),
  ].join('\r\n');
  expect(failingPart(log, 5000)).toBe(
    'Run npm test\nnpm test\nsrc/a.ts:3 expected 1, got 2\nFAIL src/a.test.ts\nProcess completed with exit code 1.',
  );
});

it('is what comes before the end of a job of GitLab', () => {
  const log = [
    'section_start:1731999000:step_script\r\u001b[0K',
    '$ npm test',
    '1 failing',
    'section_end:1731999001:step_script\r\u001b[0K',
    '\u001b[31;1mERROR: Job failed: exit code 1\u001b[0;m',
  ].join('\n');
  expect(failingPart(log, 5000)).toBe('$ npm test\n1 failing\nERROR: Job failed: exit code 1');
});

it('is the end of a log that says nothing of the kind, and never long', () => {
  const lines = Array.from({ length: 5000 }, (_, number) => `line ${number}`);
  const part = failingPart(lines.join('\n'), 600);
  expect(part.endsWith('line 4999')).toBe(true);
  expect(part.length).toBeLessThan(700);
  expect(failingPart('x'.repeat(1_000_000), 600).length).toBeLessThan(700);
  expect(failingPart('', 600)).toBe('');
});
