// A server that is not what it should be: the tools say so in plain words, and stay alive.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool, newAssistant, newFolder } from './assistant.ts';
import type { Assistant } from './assistant.ts';

type Answer = (response: ServerResponse, method: string) => void;

const ID = 'exec_01m7hpggafe00aj5qspezweyj0';
const place = newFolder();
let answer: Answer = () => {};
let assistant: Assistant;
/** Waits for an answer as long as a slow machine takes for one; the other is for those that never come. */
let hasty: Assistant;
const web = createServer((request, response) => {
  request.resume();
  answer(response, request.method ?? '');
});

beforeAll(async () => {
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const options = { url, key: 'mill_sk_x', folder: place.root };
  assistant = await newAssistant({ ...options, tryTimeoutMs: 30_000 });
  hasty = await newAssistant({ ...options, tryTimeoutMs: 500 });
});
afterAll(async () => {
  await hasty.close();
  await assistant.close();
  web.closeAllConnections();
  web.close();
  place.remove();
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const html =
  (status: number): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'text/html' })
      .end('<html><body>Welcome</body></html>');
/** Started, and then nothing sensible about it. */
const startedThen =
  (then: Answer): Answer =>
  (response, method) =>
    method === 'POST'
      ? json(202, { id: ID, status: 'running' })(response, method)
      : then(response, method);

const REQUEST = 'rreq_01jcq8z5e0e5v8r3m6k1t2w9xh';
const SILENCE = 'half an answer, then silence';

const STRANGE: Record<string, [Answer, RegExp, boolean]> = {
  'a page with 200': [html(200), /^SERVER_UNREACHABLE: .*not JSON/, true],
  'a page with 500': [html(500), /^HTTP_500: /, true],
  'a page with 404': [html(404), /^HTTP_404: /, false],
  'a redirect': [
    (response) => void response.writeHead(302, { location: 'http://example.com/' }).end(),
    /^HTTP_302: /,
    false,
  ],
  'an error of ours, with the time to wait': [
    json(
      503,
      { error: { code: 'SERVICE_UNAVAILABLE', message: 'Not now.' } },
      { 'retry-after': '7' },
    ),
    /^SERVICE_UNAVAILABLE: Not now\. Wait 7 s.*"retryAfterSeconds":7/s,
    true,
  ],
  'an empty object': [json(200, {}), /^SERVER_UNREACHABLE: .*not an execution/, true],
  'a list': [json(200, [1, 2]), /^SERVER_UNREACHABLE: .*not an execution/, true],
  'nothing at all': [
    (response) => void response.writeHead(200).end(),
    /^SERVER_UNREACHABLE: .*not an execution/,
    true,
  ],
  'an id that is a path': [
    json(202, { id: '../../../escaped', status: 'running' }),
    /^SERVER_UNREACHABLE: .*not an execution/,
    true,
  ],
  [SILENCE]: [
    (response) => void response.writeHead(200, { 'content-length': '1000' }).write('{"id":'),
    /^SERVER_UNREACHABLE: .*did not answer/,
    true,
  ],
  'half an answer, then the end': [
    (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"id":');
      setImmediate(() => response.destroy());
    },
    /^SERVER_UNREACHABLE: .*did not answer/,
    true,
  ],
  'an execution that is none': [
    startedThen(json(200, { id: ID, status: 'running' })),
    /^SERVER_UNREACHABLE: .*not an execution.*millrace_status/s,
    true,
  ],
  'an execution that is a page': [startedThen(html(200)), /^SERVER_UNREACHABLE: .*not JSON/, true],
};

describe('a server that answers', () => {
  it.each(Object.entries(STRANGE))('%s', async (name, [strange, expected, retryable]) => {
    answer = strange;
    const { call, client } = name === SILENCE ? hasty : assistant;
    for (const tool of ['execute', 'status', 'cancel'] as const) {
      const input = tool === 'execute' ? { task: 'x' } : { executionId: ID };
      const { isError, text, output } = await call(tool, input);
      expect(isError).toBe(true);
      expect(output).toBeUndefined();
      const [said = '', body = ''] = text.split('\n');
      const { error } = JSON.parse(body) as { error: { code: string; retryable: boolean } };
      expect(said).toMatch(/[.!?]$/);
      // Once: the second line has what a program needs besides.
      expect(said.startsWith(`${error.code}: `)).toBe(true);
      expect(error).not.toHaveProperty('message');
      expect(text).not.toMatch(/undefined|TypeError|\bat .*:\d+:\d+/);
      if (tool === 'execute') {
        expect(text).toMatch(expected);
        expect(error.retryable).toBe(retryable);
      }
    }
    for (const input of [
      {},
      { task: 'x' },
      { task: 'x', project: 'shop' },
      { requestId: REQUEST },
    ]) {
      const { isError, text, output } = await callTool(client, 'run', input);
      expect({ isError, output }, text).toEqual({ isError: true, output: undefined });
      expect(text).not.toMatch(/undefined|TypeError|\bat .*:\d+:\d+/);
    }
    // It is alive, and has written nothing of that anywhere.
    expect((await client.listTools()).tools).toHaveLength(6);
    expect(existsSync(`${place.folder}/escaped`)).toBe(false);
  });
});
