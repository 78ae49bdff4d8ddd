// What goes through the model endpoint is what would have gone between client and vendor without it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { baseUrls, freshKey } from '../providers/vendor-jobs.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';

let vendors: VendorServer;
let server: TestServer;
let key: string;

beforeAll(async () => {
  vendors = await startVendorServer();
  server = await startTestServer({ baseUrls: baseUrls(vendors) });
  ({ key } = await server.createKey());
});
afterAll(async () => {
  await server.close();
  await vendors.close();
});

const ANTHROPIC = {
  model: 'claude-opus-4-8',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Say something.' }],
};

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/model${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'x-provider-key': freshKey(),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('a message', () => {
  it('is answered', async () => {
    const answer = await post('/anthropic/v1/messages', ANTHROPIC);
    console.log(answer);
    expect(answer.status).toBe(200);
    const id = answer.headers.get('x-millrace-request-id');
    expect(id).toBeTruthy();
    const { body } = await server.call('GET', '/api/v1/jobs', { key });
    console.log(JSON.stringify(body, null, 1));
  });
  it('is streamed', async () => {
    const answer = await post('/anthropic/v1/messages', { ...ANTHROPIC, stream: true });
    console.log(answer);
    const chat = await post('/openai/v1/chat/completions', {
      model: 'gpt-5.2',
      stream: true,
      messages: ANTHROPIC.messages,
    });
    console.log(chat);
    const google = await post(
      '/google/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      { 'x-goog-api-key': key },
    );
    console.log(google);
    const { body } = await server.call('GET', '/api/v1/jobs', { key });
    console.log(JSON.stringify(body, null, 1), server.logs().slice(-3000));
  });
});
