// What a policy lets through. Names are resolved by the test, to servers of the test on loopback.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProxy } from '../../src/sandbox/network/proxy.ts';
import { isAllowedHost } from '../../src/sandbox/network/policy.ts';
import type { RefusedHost } from '../../src/sandbox/network/policy.ts';
import { NO_SANDBOX, USERS, openWorld } from './world.ts';

let server: Server;
let port: number;
const seen: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`);
    expect(request.headers['proxy-authorization']).toBeUndefined();
    void text(request).then((body) => response.end(`answer ${body}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

describe.skipIf(NO_SANDBOX !== undefined).each(USERS)('a policy, as %s', (_user, uid) => {
  it('lets requests and tunnels to an allowed name through', async () => {
    const world = openWorld(uid, {
      names: { 'allowed.example.com': ['127.0.0.1'] },
      allowPrivate: true,
      ports: [port],
    });
    try {
      const plain = `
        const [url] = process.argv.slice(1);
        const proxy = new URL(process.env.HTTP_PROXY);
        const call = require('node:http').request({ host: proxy.hostname, port: proxy.port, path: url, method: 'POST', headers: { host: 'other.example.com', 'proxy-authorization': 'Basic x' } });
        call.on('response', (answer) => answer.pipe(process.stdout)).end('body');`;
      const { hosts } = { hosts: ['allowed.example.com'] };
      const url = `http://allowed.example.com:${port}/path?q=1`;
      const reply = await world.ask({ command: ['node', '-e', plain, url], hosts });
      expect(reply.stdout).toBe('answer body');
      const tunnel = `fetch(process.argv[1]).then((answer) => answer.text()).then(console.log);`;
      const fetched = await world.ask({ command: ['node', '-e', tunnel, url], hosts });
      expect(fetched.stdout).toBe('answer \n');
      expect(fetched.refused).toEqual([]);
      const host = `allowed.example.com:${port}`;
      expect(seen).toEqual([`POST /path?q=1 ${host}`, `GET /path?q=1 ${host}`]);
      seen.length = 0;
    } finally {
      await world.close();
    }
  });
});

describe.skipIf(NO_SANDBOX !== undefined).each(USERS)('a door, as %s', (_user, uid) => {
  it('leads to one path of one server, and nothing else is reached', async () => {
    const server = new URL(`http://127.0.0.1:${port}`);
    const door = { port: 4747, server, path: '/model/', headers: { 'x-api-key': 'token' } };
    const world = openWorld(uid, { door });
    try {
      const script = `
        const call = (url) => fetch(url).then((answer) => answer.status, (error) => error.cause.code);
        Promise.all(['4747/model/x', '4747/metrics', '${port}/model/x'].map((end) => call('http://127.0.0.1:' + end))).then((all) => console.log(all.join(' ')));`;
      const { stdout } = await world.ask({ command: ['node', '-e', script] });
      expect(stdout).toBe('200 404 ECONNREFUSED\n');
      expect(seen).toEqual([`GET /model/x 127.0.0.1:${port}`]);
      seen.length = 0;
    } finally {
      await world.close();
    }
  });
});

describe.skipIf(process.platform === 'win32')('the proxy', () => {
  async function connectTo(authority: string, resolve: (host: string) => Promise<string[]>) {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-proxy-'));
    const refused: RefusedHost[] = [];
    const proxy = await openProxy(join(folder, 'p'), {
      hosts: ['*.example.com', '127.0.0.1', '0x7f.1'],
      reach: { resolve, allowPrivate: false, ports: [80, 443] },
      onRefused: (host) => refused.push(host),
    });
    try {
      const socket = connect(join(folder, 'p'));
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [line = ''] = (await text(socket)).split('\r\n');
      return { line, refused };
    } finally {
      await proxy.close();
      rmSync(folder, { recursive: true });
    }
  }

  it('looks a name up once, and refuses it when one answer is not public', async () => {
    let asked = 0;
    const { line, refused } = await connectTo('a.example.com:443', async () => {
      asked += 1;
      return asked === 1 ? ['192.0.2.1', '127.0.0.1'] : ['192.0.2.1'];
    });
    expect([line, asked]).toEqual(['HTTP/1.1 403 Forbidden', 1]);
    expect(refused).toEqual([{ host: 'a.example.com', reason: 'not public' }]);
  });

  it.each([
    ['127.0.0.1:443', 'address'],
    ['0x7f.1:443', 'not public'],
    ['a.example.com:22', 'port'],
    ['example.com:443', 'not allowed'],
    ['a.example.com.evil.test:443', 'not allowed'],
  ])('refuses %s', async (authority, reason) => {
    const { line, refused } = await connectTo(authority, async () => ['127.0.0.1']);
    expect(line).toBe('HTTP/1.1 403 Forbidden');
    expect(refused).toMatchObject([{ reason }]);
  });

  it.each(['[::1]:443', 'a.example.com', 'user@a.example.com:443', 'a.example.com:443:1'])(
    'does not guess what %s means',
    async (authority) => {
      const { line } = await connectTo(authority, async () => ['127.0.0.1']);
      expect(line).toMatch(/^HTTP\/1\.1 40[03]/);
    },
  );
});

it('a host is allowed by its whole name, in any case, with or without the last dot', () => {
  const hosts = ['Example.com', '*.example.org'];
  for (const name of ['example.com', 'EXAMPLE.com.', 'a.example.org', 'a.b.example.org']) {
    expect(isAllowedHost(hosts, name)).toBe(true);
  }
  for (const name of ['a.example.com', 'example.org', 'notexample.com', 'example.com.test', '']) {
    expect(isAllowedHost(hosts, name)).toBe(false);
  }
});
