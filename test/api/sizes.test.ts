import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

const MIB = 1024 * 1024;
const BODY = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 10 };

async function execute(body: string) {
  const { key } = await server().createKey();
  const response = await fetch(`${server().url}/api/v1/execute`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('the size of a body', () => {
  const padded = (bytes: number) => {
    const body = JSON.stringify({ ...BODY, padding: '' });
    return body.replace('"padding":""', `"padding":"${'p'.repeat(bytes - body.length)}"`);
  };

  it('may be 8 MiB and not a byte more', async () => {
    verifies('http.body.size');
    expect((await execute(padded(8 * MIB))).status).toBe(202);
    expectError(await execute(padded(8 * MIB + 1)), 'PAYLOAD_TOO_LARGE');
    expectError(await execute(padded(20 * MIB)), 'PAYLOAD_TOO_LARGE');
  });

  it('is found out while it is read when it is not announced', async () => {
    verifies('http.body.size');
    const { key } = await server().createKey();
    const chunk = new TextEncoder().encode('x'.repeat(MIB));
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ < 9) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const response = await fetch(`${server().url}/api/v1/execute`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    });
    const answer = { status: response.status, body: (await response.json()) as never };
    expectError(answer, 'PAYLOAD_TOO_LARGE');
  });
});

describe('the size of a prompt', () => {
  it('may be 4 MiB of UTF-8 and not a byte more', async () => {
    verifies('job.execute.prompt-size');
    const largest = 'p'.repeat(4 * MIB);
    expect((await execute(JSON.stringify({ ...BODY, prompt: largest }))).status).toBe(202);
    expectInvalid(await execute(JSON.stringify({ ...BODY, prompt: `${largest}p` })), 'prompt');
    // Bytes count, not characters.
    const wide = 'ü'.repeat(2 * MIB);
    expect((await execute(JSON.stringify({ ...BODY, prompt: wide }))).status).toBe(202);
    expectInvalid(await execute(JSON.stringify({ ...BODY, prompt: `${wide}p` })), 'prompt');
  });
});
