import { describe, expect, it } from 'vitest';
import { MAX_WEBHOOK_BYTES, webhookBody } from '../../src/domain/webhook/webhook-body.ts';
import {
  WEBHOOK_TIMES,
  nextTryIn,
  parseRetryAfter,
  verdictOf,
} from '../../src/domain/webhook/webhook-retry.ts';
import { verifies } from '../support/verifies.ts';

const HOURS = 3_600_000;
const { retryDelaysMs } = WEBHOOK_TIMES;

describe('the retry table', () => {
  it('has the waits that are promised, and the time-outs', () => {
    verifies('webhooks.retries', 'webhooks.timeout');
    const seconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(retryDelaysMs).toEqual(seconds.map((wait) => wait * 1000));
    expect(WEBHOOK_TIMES.timeoutMs).toBe(15_000);
    expect(WEBHOOK_TIMES.connectTimeoutMs).toBe(5000);
  });

  it('is followed within ten per cent, try by try, to an end', () => {
    verifies('webhooks.retries');
    retryDelaysMs.forEach((wait, index) => {
      const failed = { tries: index + 1, retryAfterMs: undefined };
      expect(nextTryIn(failed, retryDelaysMs, 0)).toBe(Math.round(wait * 0.9));
      expect(nextTryIn(failed, retryDelaysMs, 0.5)).toBe(wait);
      expect(nextTryIn(failed, retryDelaysMs, 1)).toBe(Math.round(wait * 1.1));
    });
    expect(nextTryIn({ tries: 10, retryAfterMs: 1 }, retryDelaysMs, 0.5)).toBeUndefined();
  });

  it('gives way to a longer Retry-After, up to a day', () => {
    verifies('webhooks.retry-after');
    const next = (retryAfterMs: number) =>
      nextTryIn({ tries: 1, retryAfterMs }, retryDelaysMs, 0.5);
    expect(next(7000)).toBe(7000);
    expect(next(1000)).toBe(5000);
    expect(next(100 * HOURS)).toBe(24 * HOURS);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['7', 7000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['9'.repeat(30), undefined],
    ['', undefined],
    [undefined, undefined],
  ])('"%s" means %s', (text, expected) => {
    expect(parseRetryAfter(text, now)).toBe(expected);
  });

  it('counts on 429 and 503 only', () => {
    verifies('webhooks.retry-after', 'webhooks.success', 'webhooks.gone');
    const verdict = (status?: number) => verdictOf({ status, retryAfter: '7' }, now);
    for (const status of [429, 503]) {
      expect(verdict(status)).toEqual({ kind: 'failed', retryAfterMs: 7000 });
    }
    for (const status of [undefined, 301, 307, 400, 404, 500]) {
      expect(verdict(status)).toEqual({ kind: 'failed', retryAfterMs: undefined });
    }
    for (const status of [200, 201, 202, 204, 299]) expect(verdict(status).kind).toBe('delivered');
    expect(verdict(410).kind).toBe('gone');
  });
});

describe('a body', () => {
  const url = '/v1/executions/exec_1';
  const bodyOf = (data: Record<string, unknown>) => {
    const text = webhookBody({ event: 'execution.completed', timestamp: 't', data }, url);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_WEBHOOK_BYTES);
    return JSON.parse(text) as { data: Record<string, unknown> };
  };
  const ids = { executionId: 'exec_1', status: 'completed', sequence: 4 };
  const artifact = (content: string) => ({
    operations: [
      { type: 'create', path: 'a', content },
      { type: 'edit', path: 'b', edits: [{ oldText: content, newText: content }] },
    ],
    filesChanged: ['a', 'b'],
  });

  it('that fits is sent as it is', () => {
    const data = { ...ids, result: { artifacts: [artifact('small')] } };
    expect(bodyOf(data)).toEqual({ event: 'execution.completed', timestamp: 't', data });
  });

  it('that does not fit loses the contents of files, counted in bytes', () => {
    const result = { summary: 's', artifacts: [artifact('€'.repeat(4000))] };
    const operations = [
      { type: 'create', path: 'a' },
      { type: 'edit', path: 'b' },
    ];
    expect(bodyOf({ ...ids, result }).data).toEqual({
      ...ids,
      result: { summary: 's', artifacts: [{ operations, filesChanged: ['a', 'b'] }] },
      truncated: true,
      statusUrl: url,
    });
  });

  it('that still does not fit keeps how it ended, the summary and the names of files', () => {
    const cut = { truncated: true, statusUrl: url };
    const paths = Array.from({ length: 900 }, (_, i) => `src/ordner-€-${i}/datei.ts`);
    const operations = paths.map((path) => ({ type: 'create', path, content: 'x' }));
    const artifacts = [{ operations, filesChanged: paths }];
    const { result } = bodyOf({ ...ids, result: { success: true, summary: 'Done.', artifacts } })
      .data as { result: { filesChanged: string[] } };
    expect(result).toMatchObject({ success: true, summary: 'Done.', fileCount: 900, ...cut });
    expect(result.filesChanged.length).toBeGreaterThan(100);
    expect(result.filesChanged).toEqual(paths.slice(0, result.filesChanged.length));
    const long = bodyOf({ ...ids, result: { success: false, summary: '🦑'.repeat(9000) } }).data;
    expect(long['result']).toMatchObject({ success: false, ...cut });
  });

  it('that still does not fit loses everything else', () => {
    const cut = { truncated: true, statusUrl: url };
    const summary = `${'x'.repeat(2000)}...`;
    const gone = { ...ids, result: cut };
    const error = { code: 'X', message: 'm' };
    const long = 'x'.repeat(30_000);
    expect(bodyOf({ ...ids, result: { summary: long }, error }).data).toEqual({
      ...ids,
      result: { summary, ...cut },
      error,
      ...cut,
    });
    expect(bodyOf({ ...ids, result: null, more: long }).data).toEqual({ ...gone, ...cut });
  });
});
