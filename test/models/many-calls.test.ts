// Many calls at once, and large ones: none is lost, none is counted twice, and nothing of them is left held.
import { readdirSync, readlinkSync } from 'node:fs';
import { request as rawRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { findLedgerGaps } from '../support/ledger-sums.ts';
import { waitUntil } from '../support/processes.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawCall, RawVendor } from '../support/raw-vendor.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

const MODEL = 'claude-sonnet-4-5';
const CALLS = 500;
const MIB = 1024 * 1024;

let vendor: RawVendor;
let server: TestServer;
let key: string;

beforeAll(async () => {
  vendor = await startRawVendor();
  const { url } = vendor;
  server = await startTestServer({
    baseUrls: { anthropic: `${url}/v1`, openai: `${url}/v1`, google: `${url}/v1beta` },
    operatorKeys: {
      anthropic: 'operator-key-a',
      openai: 'operator-key-o',
      google: 'operator-key-g',
    },
  });
  const created = await server.createKey();
  ({ key } = created);
  const teamId = await server.teamId(created.email);
  const body = { settings: { budgetUsd: 1000 } };
  await server.call('PATCH', `/v1/teams/${teamId}`, { key, body });
});
afterAll(async () => {
  await server.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.calls.length = 0;
});

const bodyOf = (name: string, bytes: number) =>
  JSON.stringify({
    model: MODEL,
    max_tokens: 50,
    messages: [{ role: 'user', content: `${name} ${'x'.repeat(bytes)}` }],
  });

const send = (body: string, path = '/anthropic/v1/messages') =>
  fetch(`${server.url}/model${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'x-goog-api-key': key, authorization: `Bearer ${key}` },
    body,
  });

/** With the name that the call begins with, so that a mixed-up answer is seen. */
function answerOf({ body }: RawCall) {
  const [, name] = /"content":"(\S+) /.exec(body.toString('latin1'))!;
  const answer = {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [{ type: 'text', text: name }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5000, output_tokens: 7, cache_read_input_tokens: 11 },
  };
  return JSON.stringify(answer);
}

/** Answers nothing until it is opened. */
function gate() {
  const opened = Promise.withResolvers<void>();
  vendor.answer((call) => ({ pieces: [answerOf(call)], before: () => opened.promise }));
  return opened.resolve;
}

async function textOf(response: Response): Promise<string> {
  const body = (await response.json()) as { content?: { text: string }[]; error?: object };
  return `${response.status} ${body.content?.[0]?.text ?? JSON.stringify(body.error)}`;
}

const settled = () =>
  waitUntil(async () => {
    const { body } = await server.call('GET', '/v1/usage/current', { key });
    const { budget } = body as { budget: { reservedUsd: number } };
    return budget.reservedUsd === 0 || undefined;
  }, 'the settling of every call');

/** Files without a name that this process holds. */
const spoolFiles = () =>
  readdirSync('/proc/self/fd').filter((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`).includes('millrace-call-');
    } catch {
      return false;
    }
  });

it('five hundred at once are all answered, each with its own answer, and all are in the ledger', async () => {
  const open = gate();
  const names = Array.from({ length: CALLS }, (_, index) => `call-${index}`);
  const answers = names.map(async (name) => textOf(await send(bodyOf(name, 20_000))));
  await waitUntil(() => vendor.calls.length === CALLS || undefined, 'all of them at the vendor');
  open();
  expect(await Promise.all(answers)).toEqual(names.map((name) => `200 ${name}`));
  expect(vendor.calls).toHaveLength(CALLS);
  await settled();
  const { rows } = await server.db.query(
    `select status, kind, count(*)::int as calls, sum(tokens_input)::int as input,
       sum(tokens_output)::int as output, sum(tokens_cached)::int as cached
     from jobs group by 1, 2`,
  );
  const sums = { input: 5011 * CALLS, output: 7 * CALLS, cached: 11 * CALLS };
  expect(rows).toEqual([{ status: 'completed', kind: 'call', calls: CALLS, ...sums }]);
  expect(await findLedgerGaps(server.db)).toEqual([]);
});

it('large ones over the bound are refused as the vendor would, and leave no file behind', async () => {
  const open = gate();
  const large = ['large-1', 'large-2'].map(async (name) =>
    textOf(await send(bodyOf(name, 30 * MIB))),
  );
  await waitUntil(() => vendor.calls.length === 2 || undefined, 'both at the vendor');
  const refused: [path: string, error: object][] = [
    ['/anthropic/v1/messages', { type: 'error', error: { type: 'overloaded_error' } }],
    ['/openai/v1/chat/completions', { error: { type: 'server_error', param: null } }],
    [
      '/google/v1beta/models/gemini-2.5-flash:generateContent',
      { error: { code: 503, status: 'UNAVAILABLE' } },
    ],
  ];
  for (const [path, error] of refused) {
    const response = await send(bodyOf('refused', 20 * MIB), path);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject(error);
  }
  // Small ones that still fit are served meanwhile: the large ones have not taken all.
  const small = send(bodyOf('small', 100)).then(textOf);
  open();
  expect(await Promise.all([...large, small])).toEqual(['200 large-1', '200 large-2', '200 small']);
  expect(vendor.calls).toHaveLength(3);
  await settled();
  if (process.platform === 'linux') expect(spoolFiles()).toEqual([]);
});

it('one whose client goes away while it sends gives its room back', async () => {
  const { hostname, port } = new URL(server.url);
  for (let times = 0; times < 3; times++) {
    const leaving = rawRequest({
      hostname,
      port,
      method: 'POST',
      path: '/model/anthropic/v1/messages',
      headers: { 'x-api-key': key, 'content-length': 31 * MIB },
    });
    leaving.on('error', () => undefined);
    const closed = new Promise((resolve) => leaving.once('close', resolve));
    await new Promise<void>((resolve) => {
      leaving.write(Buffer.alloc(25 * MIB, 0x20), () => resolve());
    });
    leaving.destroy();
    await closed;
  }
  const open = gate();
  open();
  await waitUntil(async () => {
    const both = await Promise.all([send(bodyOf('a', 30 * MIB)), send(bodyOf('b', 30 * MIB))]);
    return both.every(({ status }) => status === 200) || undefined;
  }, 'room for two large ones');
  await settled();
  if (process.platform === 'linux') expect(spoolFiles()).toEqual([]);
});

it('one that is being answered holds no room any more', async () => {
  const opened = Promise.withResolvers<void>();
  vendor.answer((call) => ({
    pieces: ['  ', answerOf(call)],
    before: (index) => (index === 0 ? Promise.resolve() : opened.promise),
  }));
  const names = ['first', 'second', 'third'];
  const answered: Response[] = [];
  for (const name of names) answered.push(await send(bodyOf(name, 30 * MIB)));
  opened.resolve();
  expect(await Promise.all(answered.map(textOf))).toEqual(names.map((name) => `200 ${name}`));
  await settled();
});
