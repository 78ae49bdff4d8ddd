// Every parameter of every route that reads, with what nobody means to send: an answer that says so, never a 500.
import { expect, it } from 'vitest';
import { newPerson } from '../accounts/people.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ role: 'api' });

const ODD = [
  '%00',
  'a%00b',
  '',
  '-1',
  '0',
  '1.5',
  '99999999999999999999',
  '2147483648',
  '9223372036854775808',
  'NaN',
  '%F0%9F%A6%91',
  '%ED%A0%80',
  'a'.repeat(300),
  "'; --",
  '{}',
  'aud_01jcq8z5e0e5v8r3m6k1t2w9xh',
  '0000-00-00T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
];

interface Described {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
}

it('no odd parameter makes the server fail', async () => {
  const admin = await newPerson(server());
  await server().db.query(
    'update users set is_admin = true, requests_per_minute = 1000000 where id = $1',
    [admin.userId],
  );
  const { body } = await server().call('GET', '/openapi.json');
  const { paths } = body as unknown as Described;
  const failed: string[] = [];
  let asked = 0;
  const ask = async (path: string) => {
    asked += 1;
    const { status } = await admin.call('GET', `/pages${path}`);
    if (status >= 500 || status === 429) failed.push(`${status} ${path}`);
  };
  for (const [template, { get }] of Object.entries(paths)) {
    if (get === undefined || template.endsWith('/events')) continue;
    const plain = template.replaceAll(/\{\w+\}/g, 'x');
    for (const { in: where, name } of get.parameters ?? []) {
      for (const value of ODD) {
        if (where === 'query') await ask(`${plain}?${name}=${value}`);
        if (where === 'path' && value !== '') await ask(template.replaceAll(/\{\w+\}/g, value));
      }
    }
  }
  expect(asked).toBeGreaterThan(500);
  expect(failed).toEqual([]);
});

it('a cursor that no page gave is refused', async () => {
  const admin = await newPerson(server());
  await server().db.query('update users set is_admin = true where id = $1', [admin.userId]);
  for (const list of ['users', 'teams', 'audit']) {
    const answer = await admin.call('GET', `/api/v1/admin/${list}?before=nonsense`);
    expect(answer.status, list).toBe(400);
  }
});

it('a report whose number no database can hold is refused', async () => {
  const { key } = await server().createKey();
  const event = { v: 1, ts: '2026-01-01T00:00:00.000Z', type: 'run.note', code: 'X', message: 'x' };
  const summary = { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: false };
  for (const seq of [2_147_483_648, 1e15, 2 ** 53]) {
    const body = { name: 'x', events: [{ ...event, seq }], summary };
    const answer = await server().call('POST', '/api/v1/runs/r/events', { key, body });
    expect(answer.status, String(seq)).toBe(400);
  }
});
