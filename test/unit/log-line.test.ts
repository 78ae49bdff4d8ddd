import { expect, it } from 'vitest';
import { logLineFor } from '../../src/cli/terminal/log-line.ts';

const line = (record: object) => JSON.stringify({ time: '2026-11-15T10:00:00.000Z', ...record });

it('a person sees requests that fail, warnings and errors, and nothing else', () => {
  const request = { level: 30, msg: 'request', method: 'POST', path: '/api/v1/execute', ms: 1.5 };
  expect(logLineFor(line({ ...request, status: 202 }))).toBeUndefined();
  expect(logLineFor(line({ ...request, status: 400, requestId: 'req_1' }))).toMatch(
    /^\d\d:\d\d:\d\d {2}400 {2}POST \/api\/v1\/execute {2}1\.5 ms {2}req_1$/,
  );
  expect(logLineFor(line({ level: 30, msg: 'applied a migration' }))).toBeUndefined();
  const trouble = { level: 40, msg: 'database trouble', err: { message: 'gone\u001b[2J' } };
  expect(logLineFor(line(trouble))).toMatch(/ {2}warning {2}database trouble: gone\ufffd\[2J$/);
  expect(logLineFor(line({ level: 50, msg: 'a bug' }))).toMatch(/ {2}error {2}a bug$/);
  expect(logLineFor('not JSON\n')).toBe('not JSON');
});
