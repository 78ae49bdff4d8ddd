// Mail to those who may answer what runs ask: who gets it, how much of it, and what is in it. The mail server is real.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { BELIEVES_TESTS, deviceToken, joinTeam, newPerson } from '../accounts/people.ts';
import type { Person } from '../accounts/people.ts';
import { ask, resolve } from './ask.ts';

const PUBLIC = 'https://millrace.example.com';
const ME = '/api/v1/auth/me';
const SETTLE_MS = 700;
const EVERY_MS = 3000;

interface Received {
  to: string;
  subject: string;
  text: string;
}
let received: Received[] = [];
let isAway = false;

/** Both parts are in one text; lines are put together again. */
const decoded = (raw: string) =>
  raw
    .replaceAll('\r\n', '\n')
    .replaceAll('=\n', '')
    .replaceAll(/((?:=[0-9A-F]{2})+)/g, (bytes) =>
      Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'),
    );

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onConnect: (_session, callback) => callback(isAway ? new Error('Closed for today') : null),
  onData(stream, session, callback) {
    let raw = '';
    stream.on('data', (chunk: Buffer) => (raw += chunk.toString('utf8')));
    stream.on('end', () => {
      const [to] = session.envelope.rcptTo;
      const text = decoded(raw);
      received.push({ to: to!.address, subject: /^Subject: (.*)$/m.exec(text)![1]!, text });
      callback();
    });
  },
});

let database: TestDatabase;
let nodes: TestServer[];
let team: string;
let key: string;
const people = {} as Record<'owner' | 'member' | 'viewer' | 'silent', Person>;

beforeAll(async () => {
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  database = await createTestDatabase();
  const settings = {
    ...BELIEVES_TESTS,
    publicUrl: PUBLIC,
    smtpUrl: `smtp://127.0.0.1:${port}`,
    mailFrom: 'Millrace <millrace@example.com>',
    approvalMailTimes: { settleMs: SETTLE_MS, everyMs: EVERY_MS, recheckMs: 300 },
  };
  nodes = [await startTestServer(settings, database.url)];
  nodes.push(await startTestServer(settings, database.url));
  for (const name of ['owner', 'member', 'viewer', 'silent'] as const) {
    const person = await newPerson(nodes[0]!);
    // Under https the cookie has another name.
    person.cookie = `__Host-${person.cookie!}`;
    people[name] = person;
    if (name === 'owner') {
      team = (await person.call('POST', '/v1/teams', { name: 'Search <b>' })).body['id'] as string;
      const made = await person.call('POST', '/api/v1/api-keys', { name: 'x', teamId: team });
      key = made.body['key'] as string;
    } else {
      const role = name === 'viewer' ? 'viewer' : 'member';
      await joinTeam(nodes[0]!, { teamId: team, userId: person.userId, role });
    }
    if (name !== 'silent') await person.call('PATCH', ME, { approvalMails: true });
  }
});
afterAll(async () => {
  for (const node of nodes ?? []) await node.close();
  await database?.drop();
  await new Promise<void>((done) => smtp.close(() => done()));
});
beforeEach(async () => {
  isAway = false;
  const { db } = nodes[0]!;
  await db.query(
    `update approvals set status = 'withdrawn', resolved_at = now(), resolved_by = user_id`,
  );
  await db.query('delete from approval_mails');
  received = [];
});

const to = (name: keyof typeof people) => received.filter((mail) => mail.to === people[name].email);

/** Of an earlier test, another may still be on its way. */
const mailed = (name: keyof typeof people, text: string) =>
  waitUntil(() => to(name).find((mail) => mail.text.includes(text)), `the mail with ${text}`);

/** Nothing says that a mail does not come, but the next one that does. */
async function settled(): Promise<void> {
  const since = performance.now();
  await waitUntil(() => performance.now() - since > SETTLE_MS + 600, 'mails to be sent');
}

it('those who want it and may answer get one mail about all that a run asks at a time, on two nodes', async () => {
  verifies('approvals.mail');
  const titles = Array.from({ length: 12 }, (_, i) => `Write the changes of part ${i}`);
  const { db } = nodes[0]!;
  const wanted = `update users set approval_mails = $1 where id = any($2)`;
  const both = [people.owner.userId, people.member.userId];
  // As if all were asked in a moment, however slow this machine is.
  await db.query(wanted, [false, both]);
  for (const [i, title] of titles.entries()) {
    await ask(nodes[i % 2]!, key, { runId: 'run-many', streamId: `s${i}`, title });
  }
  await db.query(
    `update approvals set created_at = now() - interval '1 minute' where run_id = 'run-many'`,
  );
  await db.query(wanted, [true, both]);
  await mailed('owner', 'part 0');
  await mailed('member', 'part 0');
  await settled();
  expect(received.map((mail) => mail.to).sort()).toEqual(
    [people.owner.email, people.member.email].sort(),
  );
  const [mail] = to('member');
  expect(mail!.subject).toBe('12 questions need you on Millrace');
  for (const title of titles.slice(0, 10)) expect(mail!.text).toContain(`- ${title}\n`);
  expect(mail!.text).toContain('and 2 more');
  expect(mail!.text).not.toContain(titles[10]);
  expect(mail!.text).toContain(`${PUBLIC}/approvals\n`);
  expect(mail!.text).toContain('Search &lt;b&gt;');
});

it('the mail about one question opens it, has no detail, and nothing of its title is a link', async () => {
  const title = 'web asks: see https://evil.example.com and www.evil.example.com \u202e <b>now</b>';
  const asked = await ask(nodes[0]!, key, { kind: 'question', title, detail: 'SECRET=hunter2' });
  const { subject, text } = await mailed('owner', asked.id);
  expect(subject).toBe('1 question needs you on Millrace');
  expect(text).toContain(`${PUBLIC}/approvals/${asked.id}`);
  expect(text).not.toContain('hunter2');
  expect(text).not.toMatch(/https:\/\/evil|www\.evil|\u202e/);
  expect(text).toContain('&lt;b&gt;now');
  const addresses = [...text.matchAll(/https?:\/\/[^\s"<]+/g)].map(([address]) => address);
  expect(new Set(addresses)).toEqual(
    new Set([`${PUBLIC}/approvals/${asked.id}`, `${PUBLIC}/settings/account`]),
  );
});

it('what is answered at once is not mailed, and later questions wait for their turn', async () => {
  const quick = await ask(nodes[0]!, key, { title: 'The quick one' });
  await resolve(nodes[0]!, key, quick);
  await settled();
  expect(received.filter(({ text }) => text.includes('The quick one'))).toEqual([]);
  await ask(nodes[0]!, key, { title: 'The first one' });
  await mailed('member', 'The first one');
  const since = performance.now();
  await ask(nodes[1]!, key, { title: 'The second one' });
  await ask(nodes[0]!, key, { title: 'The third one' });
  const second = await mailed('member', 'The second one');
  expect(performance.now() - since).toBeGreaterThan(EVERY_MS - SETTLE_MS);
  expect(second.subject).toBe('2 questions need you on Millrace');
  expect(second.text).not.toContain('The first one');
});

it('a question for a role is mailed to it alone, and one that another person has to answer not to its author', async () => {
  await ask(nodes[0]!, key, { role: 'admin', title: 'For admins' });
  await mailed('owner', 'For admins');
  await settled();
  expect(to('member').filter(({ text }) => text.includes('For admins'))).toEqual([]);
  // What was not for them does not delay what is.
  const settings = { approvalByOther: true };
  const here = { 'x-team-id': team, 'sec-fetch-site': 'same-origin' };
  await people.owner.call('PATCH', `/v1/teams/${team}`, { settings }, here);
  received = [];
  await nodes[0]!.db.query('update approval_mails set sent_at = null');
  await ask(nodes[0]!, key, { origin: 'runner', title: 'Of the owner' });
  await mailed('member', 'Of the owner');
  await settled();
  expect(to('owner').filter(({ text }) => text.includes('Of the owner'))).toEqual([]);
  await people.owner.call(
    'PATCH',
    `/v1/teams/${team}`,
    { settings: { approvalByOther: null } },
    here,
  );
});

it('is off until a person turns it on, and off again when they do; never to a mailbox that may be of another', async () => {
  const { silent, member } = people;
  expect((await silent.call('GET', ME)).body).toMatchObject({ approvalMails: false });
  const token = await deviceToken(nodes[0]!, member);
  const env = { MILLRACE_URL: nodes[0]!.url, MILLRACE_API_KEY: token };
  const off = await runHere(['account', 'mails', 'off'], env);
  expect(off).toMatchObject({ code: 0, stdout: 'Questions of runs are not mailed to you.\n' });
  expect((await member.call('GET', ME)).body).toMatchObject({ approvalMails: false });
  const { id } = await ask(nodes[0]!, key);
  await mailed('owner', id);
  await settled();
  expect(received.filter(({ text }) => text.includes(id))).toHaveLength(1);
  const on = await runHere(['account', 'mails', 'on'], env);
  expect(on.stdout).toBe(`Questions of runs are mailed to ${member.email}.\n`);
  await mailed('member', id);

  const { db } = nodes[0]!;
  await db.query('update users set email_verified_at = null where id = $1', [silent.userId]);
  expectError(await silent.call('PATCH', ME, { approvalMails: true }), 'CONFLICT');
  expect((await silent.call('GET', ME)).body).toMatchObject({ approvalMails: null });
});

it('a mail server that is away costs no answer, and the others still get theirs', async () => {
  isAway = true;
  const asked = await ask(nodes[0]!, key);
  await waitUntil(
    () => nodes.some((node) => node.logs().includes('Closed for today')),
    'the failure to be logged',
  );
  expect((await resolve(nodes[1]!, key, asked)).status).toBe(200);
});

it('a server without a mail server says so', async () => {
  const plain = await startTestServer({ role: 'api', ...BELIEVES_TESTS });
  try {
    const person = await newPerson(plain);
    expect((await person.call('GET', ME)).body).toMatchObject({ approvalMails: null });
    const refused = expectError(
      await person.call('PATCH', ME, { approvalMails: true }),
      'CONFLICT',
    );
    expect(refused.message).toBe('This server sends no mail.');
  } finally {
    await plain.close();
  }
});
