import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/platform/api-key.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import { expectSimilarCost } from '../support/cost.ts';

function capture(level = 'debug') {
  const lines: string[] = [];
  const scrubber = createScrubber();
  const log = createLogger({ level, scrubber, write: (line) => void lines.push(line) });
  return { log, scrubber, text: () => lines.join(''), lines };
}

// Made up, and shaped like the real ones.
const SECRETS: readonly [string, string][] = [
  ['an API key of the service', newApiKey()],
  ['a key of a vendor', 'sk-ant-api03-AbCdEf123456_-xyz'],
  ['a restricted key', 'rk-live-0123456789abcdef'],
  ['a key of another vendor', 'AIzaSyA-0123456789abcdefghijk'],
  ['a webhook secret', 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0'],
];

describe('the log', () => {
  it.each(SECRETS)('hides %s wherever it stands', (_what, secret) => {
    const { log, text } = capture();
    log.info(secret);
    log.info(`with ${secret} inside`);
    log.info({ deep: { list: [{ value: secret }] } }, 'deep');
    log.info({ [secret]: 1 }, 'as a name');
    log.error({ err: new Error(`vendor said: ${secret} is bad`) }, 'failed');
    log.error(
      { err: new Error('outer', { cause: new Error('inner', { cause: new Error(secret) }) }) },
      'failed',
    );
    log.info({ url: `https://example.com/?key=${secret}&x=1` }, 'url');
    expect(text()).not.toContain(secret);
    expect(text()).toContain('[hidden]');
  });

  it.each(['x-api-key', 'X-Provider-Key', 'Authorization', 'cookie', 'Set-Cookie', 'password'])(
    'hides the value of a field named %s, whatever it looks like',
    (name) => {
      const { log, text, lines } = capture();
      log.info({ headers: { [name]: 'just words', host: 'example.com' } }, 'request');
      log.info({ headers: { [name]: 'a"quoted\\"tail' } }, 'request');
      expect(text()).not.toMatch(/just words|quoted|tail/);
      expect(text()).toContain('example.com');
      for (const line of lines) JSON.parse(line);
    },
  );

  it.each(['Bearer abc.def-ghi', 'bearer   abc.def-ghi'])('hides the token of "%s"', (header) => {
    const { log, text } = capture();
    log.warn(`sent ${header}`);
    expect(text()).not.toContain('abc.def');
  });

  it.each([
    ['postgres://user:hunter2secret@db.example.com:5432/x', 'hunter2secret'],
    ['postgresql://user:p%40ss%3Aword@db.example.com/x', 'p%40ss'],
    ['postgres://user:half@otherhalf@db.example.com/x', 'otherhalf'],
    ['https://:onlypassword@example.com', 'onlypassword'],
    ['https://example.com/?to=ftp://user:innersecret@example.com', 'innersecret'],
  ])('hides the password in %s and leaves the host', (url, password) => {
    const { log, text } = capture();
    log.info({ url }, `connecting to ${url}`);
    log.error({ err: new Error(`cannot connect to ${url}`) }, 'failed');
    expect(text()).not.toContain(password);
    expect(text()).toContain('example.com');
  });

  it('leaves lines without secrets as they are', () => {
    const { log, lines } = capture();
    const line = { requestId: 'req_1', path: '/api/v1/job/job_1', status: 200, ms: 1.5 };
    log.info(line, 'a task-force asked at https://example.com:8080/a, desk-bound');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      ...line,
      msg: 'a task-force asked at https://example.com:8080/a, desk-bound',
    });
  });

  it.each([
    ['words in a chain', 'a-'],
    ['schemes without a host', 'a://'],
    ['credentials without an end', 'a://b:'],
    ['users without a password', 'a://b@'],
    ['half of a key', 'sk-'],
    ['half of a header', 'Bearer '],
    ['fields without a value', '"password":"\\'],
    ['blanks', ' '],
  ])('takes no longer over %s than over plain text', (_what, piece) => {
    const { scrubber } = capture();
    const length = 200_000;
    const hostile = piece.repeat(length / piece.length);
    const honest = 'Nothing to hide in this line.\n'.repeat(length / 30);
    expectSimilarCost(
      () => scrubber.scrub(hostile),
      () => scrubber.scrub(honest),
    );
  });

  it('writes nothing below its level', () => {
    const { log, lines } = capture('warn');
    log.info('quiet');
    log.warn('loud');
    expect(lines).toHaveLength(1);
  });
});

describe('the values that a process holds', () => {
  it('are hidden from when they are added until they are removed as often', () => {
    const { log, scrubber, lines } = capture();
    scrubber.add('correct horse');
    scrubber.add('correct horse');
    scrubber.remove('correct horse');
    log.info('correct horse');
    scrubber.remove('correct horse');
    log.info('correct horse');
    expect(lines[0]).not.toContain('correct horse');
    expect(lines[1]).toContain('correct horse');
  });

  it('are hidden in the form that JSON gives them, too', () => {
    const { log, scrubber, text } = capture();
    const secret = 'with "quotes" and \\ and \n';
    scrubber.add(secret);
    log.info({ secretly: secret }, secret);
    expect(text()).not.toContain('quotes');
  });

  it('are left alone when they are so short that hiding them would hide everything', () => {
    const { scrubber } = capture();
    scrubber.add('a');
    expect(scrubber.scrub('banana')).toBe('banana');
  });
});
