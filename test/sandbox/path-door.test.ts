import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenDoor } from '../../src/sandbox/network/doors.ts';
import { isBelow, pathDoor } from '../../src/sandbox/network/path-door.ts';

let folder: string;
let server: Server;
let door: OpenDoor;
const seen: { url: string; token: unknown; body: Buffer }[] = [];
let answerIn: (response: ServerResponse) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-door-'));
  seen.length = 0;
  answerIn = (response) => response.end('whole');
  server = createServer((incoming, response) => {
    void buffer(incoming).then((body) => {
      seen.push({ url: incoming.url!, token: incoming.headersDistinct['x-api-key'], body });
      answerIn(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const at = new URL(`http://127.0.0.1:${port}`);
  const headers = { 'x-api-key': 'the-token', authorization: 'Bearer the-token' };
  door = await pathDoor({ port: 1, server: at, path: '/model/', headers }).open(
    join(folder, 'door'),
  );
});
afterEach(async () => {
  await door.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  rmSync(folder, { recursive: true });
});

async function call(path: string, body = Buffer.alloc(0)): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-Api-Key': 'placeholder' };
    const socketPath = join(folder, 'door');
    request({ socketPath, path, method: 'POST', headers }, resolve).on('error', reject).end(body);
  });
}

describe.skipIf(process.platform !== 'linux')('a door to one path', () => {
  it('puts its own token in, and passes bodies as they are', async () => {
    const body = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256));
    const answer = await call('/model/anthropic/v1/messages?beta=true', body);
    expect([answer.statusCode, await text(answer)]).toEqual([200, 'whole']);
    expect(seen).toEqual([
      { url: '/model/anthropic/v1/messages?beta=true', token: ['the-token'], body },
    ]);
  });

  it('streams, and breaks off what is broken off', async () => {
    answerIn = (response) => {
      response.writeHead(200);
      response.write('first');
      setTimeout(() => response.destroy(), 50);
    };
    const answer = await call('/model/x');
    const chunks: string[] = [];
    const read = async () => {
      for await (const chunk of answer) chunks.push(String(chunk));
    };
    await expect(read()).rejects.toThrow('aborted');
    expect(chunks).toEqual(['first']);
  });

  it.each([
    '/api/v1/job/1',
    '/metrics',
    '/mcp',
    '/model',
    '/model/../metrics',
    '/model/%2e%2e/metrics',
    '/model/..%2fmetrics',
    '/model//x',
    '/model/x/./y',
    '/model/%252e%252e/x',
    'http://127.0.0.1/model/x',
    '//127.0.0.1/model/x',
  ])('does not let %s pass', async (path) => {
    const answer = await call(path);
    answer.resume();
    expect(answer.statusCode).toBe(404);
    expect(seen).toEqual([]);
  });
});

it('a model id in a path may have dots and colons', () => {
  expect(isBelow('/model/', '/model/google/v1beta/models/gemini-3.1-pro:generateContent')).toBe(
    true,
  );
});
