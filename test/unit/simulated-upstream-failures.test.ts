import { describe, expect, test } from 'vitest';
import type { FailureKind } from '../../src/providers/provider.ts';
import type { Protocol } from '../../src/providers/wire/protocol.ts';
import { ask, loose, newUpstream, PROTOCOLS, saying, textIn } from './upstream-run.ts';

type Reported = Exclude<FailureKind, 'network' | 'interrupted' | 'protocol' | 'refused'>;

/** Status and word for Anthropic, OpenAI and Google. */
const REPORTED: Record<Reported, [number, string, number, string | null, number, string]> = {
  auth: [401, 'authentication_error', 401, 'invalid_api_key', 400, 'INVALID_ARGUMENT'],
  billing: [402, 'billing_error', 429, 'insufficient_quota', 429, 'RESOURCE_EXHAUSTED'],
  permission: [403, 'permission_error', 403, 'missing_scope', 403, 'PERMISSION_DENIED'],
  model_not_found: [404, 'not_found_error', 404, 'model_not_found', 404, 'NOT_FOUND'],
  bad_request: [400, 'invalid_request_error', 400, null, 400, 'INVALID_ARGUMENT'],
  context_length: [
    400,
    'invalid_request_error',
    400,
    'context_length_exceeded',
    400,
    'INVALID_ARGUMENT',
  ],
  rate_limit: [429, 'rate_limit_error', 429, 'rate_limit_exceeded', 429, 'RESOURCE_EXHAUSTED'],
  overloaded: [529, 'overloaded_error', 503, 'server_is_overloaded', 503, 'UNAVAILABLE'],
  upstream: [500, 'api_error', 500, 'server_error', 500, 'INTERNAL'],
  timeout: [504, 'timeout_error', 504, null, 504, 'DEADLINE_EXCEEDED'],
};

function expected(protocol: Protocol, kind: Reported): [number, string | null] {
  const [a, b, c, d, e, f] = REPORTED[kind];
  return protocol === 'anthropic' ? [a, b] : protocol === 'google' ? [e, f] : [c, d];
}

function wordOf(protocol: Protocol, error: Record<string, unknown>): unknown {
  return error[{ anthropic: 'type', google: 'status', chat: 'code', responses: 'code' }[protocol]];
}

describe.each(PROTOCOLS)('failures in %s', (protocol) => {
  test.each(Object.keys(REPORTED) as Reported[])('[[sim:%s]] in its own shape', async (kind) => {
    const [status, word] = expected(protocol, kind);
    for (const isStream of [false, true]) {
      const received = await ask({ protocol, body: saying(protocol, `[[sim:${kind}]]`), isStream });
      expect(received.status).toBe(status);
      const { error } = loose(received.json);
      expect(wordOf(protocol, error)).toBe(word);
      expect(error.message).toMatch(/^Simulated failure: ./);
      if (protocol === 'anthropic') expect(received.json).toMatchObject({ type: 'error' });
    }
  });

  test('a time to wait is in a header', async () => {
    const body = saying(protocol, '[[sim:rate_limit retry-after=2.5]]');
    const { headers, text } = await ask({ protocol, body });
    expect(headers.get('retry-after')).toBe('2.5');
    if (protocol === 'google') expect(text).toContain('"retryDelay":"2.5s"');
  });

  test('[[sim:fail 2 overloaded]] fails twice, then answers', async () => {
    const upstream = newUpstream();
    const body = saying(protocol, '[[sim:fail 2 overloaded]]');
    const { status: wanted } = await ask({
      protocol,
      body: saying(protocol, '[[sim:overloaded]]'),
    });
    const statuses = [];
    for (let call = 0; call < 3; call++) {
      statuses.push((await ask({ protocol, body, upstream })).status);
    }
    expect(statuses).toEqual([wanted, wanted, 200]);
  });

  test('in the middle of a stream the error is an event', async () => {
    const body = saying(protocol, '[[sim:cut 5 overloaded]]');
    const { status, events, error, text } = await ask({ protocol, body, isStream: true });
    expect(status).toBe(200);
    expect(error).toBeUndefined();
    const all = events.map(({ name, data }) => ({ name, ...loose(JSON.parse(data)) }));
    const failed = all.find((each) => each.error !== undefined || each.type === 'error');
    const said = protocol === 'responses' ? failed : failed.error;
    expect(wordOf(protocol, said)).toBe(expected(protocol, 'overloaded')[1]);
    expect(text).toContain('simulated by');
    // Nothing says that the answer is whole.
    expect(text).not.toMatch(/message_stop|\[DONE\]|response\.completed|finishReason/);
    if (protocol === 'responses') {
      expect(all.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
    }
  });

  test('a whole answer that fails later is a refusal', async () => {
    const body = saying(protocol, '[[sim:cut 5 upstream]]');
    expect((await ask({ protocol, body })).status).toBe(500);
  });

  test('[[sim:network]] has no answer, and after some tokens breaks off', async () => {
    const body = saying(protocol, '[[sim:network]]');
    await expect(ask({ protocol, body })).rejects.toMatchObject({ code: 'ECONNRESET' });
    for (const isStream of [false, true]) {
      const cut = saying(protocol, '[[sim:cut 5 network]]');
      const received = await ask({ protocol, body: cut, isStream });
      expect(received.status).toBe(200);
      expect(received.error).toMatchObject({ code: 'ECONNRESET' });
      expect(received.text).not.toBe('');
    }
  });

  test('[[sim:interrupted]] ends early as if all were well', async () => {
    const body = saying(protocol, '[[sim:interrupted]]');
    const { events, error, text } = await ask({ protocol, body, isStream: true });
    expect(error).toBeUndefined();
    expect(events.length).toBeGreaterThan(0);
    expect(text).not.toMatch(/message_stop|\[DONE\]|response\.completed|finishReason/);
    const whole = await ask({ protocol, body });
    expect(whole.headers.has('content-length')).toBe(false);
    expect(() => JSON.parse(whole.text) as unknown).toThrow(SyntaxError);
  });

  test('[[sim:protocol]] cannot be read', async () => {
    const body = saying(protocol, '[[sim:protocol]]');
    const { events } = await ask({ protocol, body, isStream: true });
    expect(() => events.map(({ data }) => JSON.parse(data) as unknown)).toThrow(SyntaxError);
    const whole = await ask({ protocol, body });
    expect(() => JSON.parse(whole.text) as unknown).toThrow(SyntaxError);
  });

  test('[[sim:refused]] is an answer that a filter ended', async () => {
    const reasons = {
      anthropic: '"stop_reason":"refusal"',
      chat: '"finish_reason":"content_filter"',
      responses: '"reason":"content_filter"',
      google: '"finishReason":"SAFETY"',
    };
    for (const isStream of [false, true]) {
      const body = saying(protocol, '[[sim:refused]]');
      const received = await ask({ protocol, body, isStream });
      expect(received.status).toBe(200);
      expect(received.text).toContain(reasons[protocol]);
      expect(textIn(protocol, received)).toBe('');
    }
  });
});
