// Mail to people, sent to a real mail server that can also refuse, or say nothing.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { BELIEVES_TESTS, newAddress, newPerson, openBrowser, tokenOf } from './people.ts';
import type { Person } from './people.ts';

interface Received {
  to: string[];
  user: string;
  raw: string;
}

const FORGOT = '/api/v1/auth/forgot-password';
const SECRET = 'hunter2@the/gate';
let mode: 'takes' | 'refuses' | 'away' | 'silent' = 'takes';
let server: TestServer;
let jane: Person;
let team: string;
let received: Received[] = [];
/** Of connections that were never answered. */
const unanswered: (() => void)[] = [];

const smtp = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onConnect(_session, callback) {
    if (mode === 'silent') unanswered.push(() => callback(new Error('too late')));
    else callback(mode === 'away' ? new Error('Closed for today') : null);
  },
  onAuth: ({ username = '', password }, _session, callback) =>
    password === SECRET ? callback(null, { user: username }) : callback(new Error('wrong')),
  onRcptTo: (_address, _session, callback) =>
    mode === 'refuses'
      ? callback(Object.assign(new Error('No such mailbox'), { responseCode: 550 }))
      : callback(),
  onData(stream, session, callback) {
    let raw = '';
    stream.on('data', (chunk: Buffer) => (raw += chunk.toString('utf8')));
    stream.on('end', () => {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      received.push({ to, user: String(session.user), raw });
      callback();
    });
  },
});

beforeAll(async () => {
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  server = await startTestServer({
    role: 'api',
    ...BELIEVES_TESTS,
    publicUrl: 'https://millrace.example.com',
    smtpUrl: `smtp://millrace:${encodeURIComponent(SECRET)}@127.0.0.1:${port}`,
    mailFrom: 'Millrace <millrace@example.com>',
  });
  jane = await newPerson(server);
  // Under https the cookie has another name.
  jane.cookie = `__Host-${jane.cookie!}`;
  team = (await jane.call('POST', '/v1/teams', { name: 'A <b>bold</b> team' })).body[
    'id'
  ] as string;
});
afterAll(async () => {
  for (const answer of unanswered) answer();
  await server.close();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});
beforeEach(() => {
  mode = 'takes';
  received = [];
});

const invite = (email: string, headers?: Record<string, string>) =>
  jane.call('POST', `/v1/teams/${team}/members`, { email, role: 'member' }, headers);

const invitationOf = (body: Record<string, unknown>) =>
  body['invitation'] as { url: string | null; mailed: boolean };

/** Encoded as mail is, in lines of 76 characters. */
function decoded(raw: string): string {
  const bytes = raw.replaceAll('=\r\n', '');
  return bytes.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
}

async function nextMail(): Promise<Received> {
  await waitUntil(() => received.length > 0, 'the mail to arrive');
  return received[0]!;
}

/** The link in a mail. */
function linkIn({ raw }: Received): string {
  return /https:\/\/millrace\.example\.com\/welcome#mill_ln_[\w-]+/.exec(decoded(raw))![0];
}

function forgot(email: string, headers: Record<string, string> = {}) {
  const all = { 'x-forwarded-for': newAddress(), ...headers };
  return server.call('POST', FORGOT, { body: { email }, headers: all });
}

it('mails an invitation, with a link that no header of the request can bend', async () => {
  verifies('teams.invitations.mailbox');
  const { status, body } = await invite('new@example.com', {
    'sec-fetch-site': 'same-origin',
    'x-forwarded-host': 'evil.example.com',
  });
  expect(status).toBe(201);
  // To the mailbox alone: the inviter could otherwise make an account for an address of others.
  expect(invitationOf(body)).toMatchObject({ url: null, mailed: true });
  expect(JSON.stringify(body)).not.toContain('mill_ln_');
  const mail = await nextMail();
  const url = linkIn(mail);
  expect(mail).toMatchObject({ to: ['new@example.com'], user: 'millrace' });
  const raw = decoded(mail.raw);
  expect(raw).toContain('From: Millrace <millrace@example.com>');
  expect(raw).toContain('Subject: Join A <b>bold</b> team on Millrace');
  expect(raw).toContain(`\r\n${url}\r\n`);
  expect(raw).toContain(`<a href="${url}">`);
  expect(raw).toContain('A &lt;b&gt;bold&lt;/b&gt; team');
  expect(raw).not.toContain('evil');
});

it('puts nothing of an address or a name into the headers of a mail', async () => {
  for (const email of ['a@example.com\r\nBcc: b@example.com', 'a@example.com\nX: y']) {
    expectError(await invite(email), 'VALIDATION_ERROR');
  }
  const name = 'Team\r\nBcc: victim@example.com';
  expectError(await jane.call('PATCH', `/v1/teams/${team}`, { name }), 'VALIDATION_ERROR');
  expectError(await invite('x>,<victim,y@example.com'), 'VALIDATION_ERROR');
  expect(received).toEqual([]);
});

it('mails a link for a forgotten password, which is used once', async () => {
  const answer = await forgot(jane.email.toUpperCase());
  expect([answer.status, answer.body]).toEqual([202, { accepted: true }]);
  const url = linkIn(await nextMail());
  // One mail is enough for now, however often it is asked for.
  expect((await forgot(jane.email)).status).toBe(202);
  const browser = openBrowser(server);
  const reset = '/api/v1/auth/password-reset';
  const body = { token: tokenOf(url), password: 'yet another sentence' };
  expect((await browser.call('POST', reset, body)).status).toBe(200);
  expectError(await openBrowser(server).call('POST', reset, body), 'NOT_FOUND');
  expectError(await jane.call('GET', '/api/v1/auth/me'), 'UNAUTHORIZED');
  jane.cookie = browser.cookie;
  expect(received).toHaveLength(1);
  expect(server.logs()).not.toContain(tokenOf(url));
  const { rows } = await server.db.query<{ action: string; address: string | null }>(
    `select action, address from audit_events where target = $1 and action = 'link.created'`,
    [jane.userId],
  );
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('mill_ln_');
});

it('a mailed link shows whose mailbox it is', async () => {
  await invite('mine@example.com');
  const token = tokenOf(linkIn(await nextMail()));
  const body = { token, password: 'some unrelated words' };
  const made = await openBrowser(server).call('POST', '/api/v1/auth/sign-up', body);
  expect(made.body).toMatchObject({ user: { emailVerified: true } });
});

it('ends what gave access to an account before its address was proven by a mailed link', async () => {
  const joe = await newPerson(server);
  joe.cookie = `__Host-${joe.cookie!}`;
  await server.db.query('update users set email_verified_at = null where id = $1', [joe.userId]);
  const key = (await joe.call('POST', '/api/v1/api-keys', { name: 'x' })).body['key'] as string;
  await forgot(joe.email);
  const token = tokenOf(linkIn(await nextMail()));
  const reset = { token, password: 'yet another sentence' };
  const browser = openBrowser(server);
  const { body } = await browser.call('POST', '/api/v1/auth/password-reset', reset);
  expect(body).toMatchObject({
    user: { emailVerified: true },
    ended: { password: true, sessions: 1, apiKeys: 1 },
  });
  expectError(await server.call('GET', '/api/v1/auth/me', { key }), 'UNAUTHORIZED');
  expect((await browser.call('GET', '/api/v1/auth/me')).status).toBe(200);
  await waitUntil(() => received.length > 1, 'the mail about what has ended');
  expect(decoded(received[1]!.raw)).toContain('Earlier access to your Millrace account has ended');
});

it('answers the same whether or not there is an account, and mails nobody else', async () => {
  const suspended = await newPerson(server);
  await server.db.query('update users set suspended_at = now() where id = $1', [suspended.userId]);
  const known = await newPerson(server);
  const answers = [];
  for (const email of ['nobody@example.com', suspended.email, known.email]) {
    const { status, body, headers } = await forgot(email);
    answers.push([status, body, [...headers.keys()].filter((name) => name !== 'x-request-id')]);
  }
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect((await nextMail()).to).toEqual([known.email]);
  expect(received).toHaveLength(1);
  const statuses: number[] = [];
  for (let tries = 0; tries < 20 && statuses.at(-1) !== 429; tries++) {
    statuses.push((await forgot('nobody2@example.com')).status);
  }
  expect(statuses.at(-1)).toBe(429);
  expectError(await forgot('x@example.com', { origin: 'https://evil.example.com' }), 'FORBIDDEN');
});

it('a mail server that refuses or says nothing holds up no invitation, and is told of', async () => {
  mode = 'refuses';
  const refused = await invite('refused@example.com');
  expect(refused.status).toBe(201);
  await waitUntil(() => server.logs().includes('No such mailbox'), 'the refusal to be logged');
  mode = 'away';
  // That one mailbox is unknown says nothing about others.
  expect(invitationOf((await invite('away@example.com')).body).mailed).toBe(true);
  await waitUntil(() => server.logs().includes('Closed for today'), 'the failure to be logged');
  // Known by now, so the next one says so.
  mode = 'silent';
  const { status, body } = await invite('silent@example.com');
  expect([status, invitationOf(body).mailed]).toEqual([201, false]);
  expect(server.logs()).not.toContain(SECRET);
  expect(server.logs()).not.toContain(encodeURIComponent(SECRET));
  expect((await forgot('silent@example.com')).status).toBe(202);
  await waitUntil(() => unanswered.length > 0, 'the mail server to be asked');
});

it('where people reach the server by https, browsers are told to use nothing else', async () => {
  const { headers } = await server.call('GET', '/api/v1/auth/me');
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
});
