import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedClient } from '../../src/platform/guarded-request.ts';
import type { GuardedAnswer } from '../../src/platform/guarded-request.ts';
import { checkTarget, isPublicAddress } from '../../src/platform/target-guard.ts';
import { systemResolver } from '../../src/platform/target-resolver.ts';
import type { ResolveTarget } from '../../src/platform/target-resolver.ts';
import { verifies } from '../support/verifies.ts';

// Counts connections on every address of this machine that the spellings could lead to.
let canary: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  canary = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).resume();
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  });
  await new Promise<void>((resolve) => canary.listen(0, '::', resolve));
  port = (canary.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => canary.close(resolve)));
beforeEach(() => {
  connections = 0;
});

async function post(
  url: string,
  options: { resolve?: ResolveTarget; allowPrivate?: boolean } = {},
): Promise<GuardedAnswer> {
  const client = createGuardedClient({
    allowPrivate: options.allowPrivate ?? false,
    resolve: options.resolve ?? systemResolver,
    timeoutMs: 3000,
    connectTimeoutMs: 3000,
  });
  try {
    const { signal } = new AbortController();
    return await client.post({ url, headers: {}, body: '{}', signal });
  } finally {
    await client.close();
  }
}

const THIS_MACHINE = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0x7f.0x0.0x0.0x1',
  '%31%32%37.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '１２７.0.0.1',
  '0',
  '0.0.0.0',
  '0x0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'app.localhost',
];
const ELSEWHERE = [
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '[fe80::1]',
  '[fc00::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[5f00::1]',
  '[64:ff9b:1::1]',
];

describe('an address that is not public', () => {
  it.each([...THIS_MACHINE, ...ELSEWHERE])('is not connected to as %s', async (host) => {
    verifies('webhooks.targets');
    const url = `http://${host}:${port}/`;
    const answer = await post(url);
    expect(answer).toEqual({ kind: 'failed', error: expect.any(String) });
    expect(connections).toBe(0);
    const name = host.startsWith('[') ? '' : '.example.com';
    expect(JSON.stringify(answer)).not.toContain(`127.0.0.1${name}`);
    expect(checkTarget(url, { allowPrivate: false, allowHttp: true }).kind).toBe('refused');
  });

  it('would be connected to without the guard, so that the canary proves something', async () => {
    verifies('webhooks.private-targets');
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '①②⑦.⓪.⓪.①', 'localhost']) {
      const answer = await post(`http://${host}:${port}/`, { allowPrivate: true });
      expect(answer, host).toMatchObject({ kind: 'answered', status: 200, body: 'ok' });
    }
    expect(connections).toBe(5);
  });

  it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1'])(
    'is not what %s is',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each(['', 'x', '127.1', '1.1.1.1.', '2606:4700::1111%eth0'])('is what "%s" is', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a name', () => {
  const HOST = 'hook.example.com';

  it('that resolves to this machine is not connected to', async () => {
    verifies('webhooks.targets');
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '0.0.0.0']) {
      const answer = await post(`http://${HOST}:${port}/`, { resolve: async () => [address] });
      expect(answer).toEqual({
        kind: 'failed',
        error: 'The URL does not lead to a public address',
      });
    }
    expect(connections).toBe(0);
  });

  it('with one bad address among good ones is not connected to at all', async () => {
    const resolve = async () => ['203.0.112.1', '127.0.0.1'];
    const answer = await post(`http://${HOST}:${port}/`, { resolve });
    expect(answer).toMatchObject({ error: 'The URL does not lead to a public address' });
    expect(connections).toBe(0);
  });

  it('that changes its address after the first look gains nothing', async () => {
    verifies('webhooks.targets');
    let looks = 0;
    // Public at first and for ever after private: what is connected to is what was checked.
    const resolve = async () => [++looks === 1 ? '203.0.113.9' : '127.0.0.1'];
    for (let n = 0; n < 5; n++) {
      expect((await post(`http://${HOST}:${port}/`, { resolve })).kind).toBe('failed');
    }
    expect(looks).toBeGreaterThan(1);
    expect(connections).toBe(0);
  });

  it('without an address fails with words that do not tell more', async () => {
    const failing = (code: string) => async () => {
      throw Object.assign(new Error(`queryA ${code} 10.0.0.53`), { code });
    };
    const none = await post(`http://${HOST}/`, { resolve: failing('ENOTFOUND') });
    expect(none).toMatchObject({ error: 'The host name cannot be resolved' });
    const odd = await post(`http://${HOST}/`, { resolve: failing('EODD') });
    expect(odd).toMatchObject({ error: 'The request failed (EODD)' });
    const empty = await post(`http://${HOST}/`, { resolve: async () => [] });
    expect(empty.kind).toBe('failed');
  });
});
