import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { MAIN, cleanEnv, runCli } from '../support/cli.ts';
import { runEither } from '../support/run-here.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import { useHookServer } from './hook-server.ts';

const hooks = useHookServer();

const settings = () => ({ MILLRACE_URL: hooks().server.url, MILLRACE_API_KEY: hooks().key });

async function cli(...args: string[]) {
  const { code, stdout, stderr } = await runEither(['webhooks', ...args], settings());
  return { code, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}

it('webhooks can be added, listed, tested, looked into, sent again and removed', async () => {
  const { receiver } = hooks();
  const flags = ['--events', 'execution.failed', '--format', 'slack', '--json'];
  const added = await cli('add', `${receiver.url}/cli`, ...flags);
  expect(added.code, added.stderr).toBe(0);
  const { id, secret } = added.json() as { id: string; secret: string };
  expect(secret).toMatch(/^whsec_/);
  const listed = await cli('list');
  const [head, row] = listed.stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ID +STATUS +FORMAT +EVENTS +URL$/);
  const [short, ...rest] = row!.split(/ +/);
  expect(rest).toEqual(['active', 'slack', 'execution.failed', `${receiver.url}/cli`]);
  expect([id.startsWith(short!), short!.length < id.length]).toEqual([true, true]);
  const tested = await cli('test', short!);
  expect(tested.code, tested.stdout).toBe(0);
  expect(tested.stdout).toMatch(/^del_\w+ {2}delivered {2}webhook\.test {2}1 try\n$/);
  const sent = (await cli('deliveries', id, '--json')).json() as { items: { id: string }[] };
  const resent = await cli('resend', short!, sent.items[0]!.id.slice(0, 24));
  expect(resent).toMatchObject({ code: 0, stdout: `Sending ${sent.items[0]!.id} again.\n` });
  await receiver.until('/cli', 2);
  expect((await cli('deliveries', id)).stdout).toMatch(/webhook\.test/);
  expect((await cli('rm', short!.slice('wh_'.length))).code).toBe(0);
  expect((await cli('list', '--json')).json()).toEqual({ items: [] });
});

it('a test that does not arrive fails and says why', async () => {
  const added = await cli('add', 'http://127.0.0.1:1/', '--json');
  const { id } = added.json() as { id: string };
  const tested = await cli('test', id);
  expect(tested.code).toBe(1);
  expect(tested.stdout).toContain('The connection was refused');
  await cli('rm', id);
});

it('a wrong event, address or id is told in words', async () => {
  const event = await cli('add', 'https://example.com/', '--events', 'execution.paused', '--json');
  expect(event.code).toBe(2);
  expect(event.stdout).toContain('events');
  expect((await cli('add', 'example.com')).stderr).toContain('must be an http or https URL');
  expect((await cli('test', 'wh_none')).stderr).toContain('no webhook with this id');
});

it('listen shows events as they come, passes them on and leaves nothing behind', async () => {
  const passedOn: unknown[] = [];
  const behind = createServer((request, response) => {
    passedOn.push(request.headers['webhook-id']);
    request.resume();
    response.writeHead(passedOn.length === 1 ? 204 : 500).end();
  });
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
  const forward = `http://127.0.0.1:${(behind.address() as AddressInfo).port}/`;
  const listening = startNode(
    MAIN,
    ['webhooks', 'listen', '--json', '--forward', forward, '--events', 'execution.completed'],
    { env: cleanEnv(settings()) },
  );
  try {
    const [, id] = await listening.waitFor(/Listening on \S+ for (wh_\w+);/);
    const executionId = await hooks().emit();
    const [line] = await listening.waitFor(/^\{.*\}$/m);
    expect(JSON.parse(line)).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      event: 'execution.completed',
      data: { executionId },
    });
    const { status } = await hooks().delivery(id!, ({ attempts }) => attempts.length > 0);
    expect(status).toBe('delivered');
    expect(passedOn).toEqual([(JSON.parse(line) as { id: string }).id]);
    // What the receiver behind says is what the sender hears.
    await hooks().emit();
    const failed = await hooks().delivery(id!, (one) => one.attempts[0]?.status === 500);
    expect(failed.status).toBe('pending');
    const url = /Listening on (\S+) /.exec(listening.output())![1]!;
    const forged = await fetch(url, { method: 'POST', body: '{}' });
    expect(forged.status).toBe(401);
    await listening.kill('SIGINT');
    expect(await listening.ended).toBe(130);
    expect((await cli('list', '--json')).json()).toEqual({ items: [] });
  } finally {
    await listening.kill('SIGKILL');
    behind.closeAllConnections();
    await new Promise((resolve) => behind.close(resolve));
  }
});

it('listen with a secret registers nothing', async () => {
  const listening = startNode(
    MAIN,
    ['webhooks', 'listen', '--secret', `whsec_${Buffer.alloc(32).toString('base64')}`],
    { env: cleanEnv({}) },
  );
  try {
    await waitUntil(() => /Listening on \S+;/.exec(listening.output()), 'the listener');
    expect((await cli('list', '--json')).json()).toEqual({ items: [] });
  } finally {
    await listening.kill('SIGTERM');
  }
});

it('listen says what to do when the server does not call private addresses', async () => {
  const strict = await startTestServer({ role: 'api' });
  try {
    const { key } = await strict.createKey();
    const env = { MILLRACE_URL: strict.url, MILLRACE_API_KEY: key };
    const { code, stderr } = await runCli(['webhooks', 'listen'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('MILLRACE_ALLOW_PRIVATE_TARGETS=true');
  } finally {
    await strict.close();
  }
});
