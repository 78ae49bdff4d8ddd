// A database that has no connection left, as one has that too many nodes use.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';

const LIMIT = 25;

/** Of a role that may have only so many connections; administrators are let in nevertheless. */
async function limitedRole(admin: pg.Client, url: string): Promise<{ name: string; url: string }> {
  const name = `few_${randomBytes(6).toString('hex')}`;
  const limited = new URL(url);
  limited.username = name;
  limited.password = 'few';
  await admin.query(`create role ${name} login password 'few' connection limit ${LIMIT}`);
  await admin.query(`grant ${pg.escapeIdentifier(new URL(url).username)} to ${name}`);
  return { name, url: limited.href };
}

it('makes a server not ready while submits are refused, and ready again when there are some', async () => {
  const database = await createTestDatabase();
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const role = await limitedRole(admin, database.url);
  const server = await startTestServer({}, role.url);
  const taken: pg.Client[] = [];
  const takeAll = async () => {
    for (;;) {
      const client = new pg.Client({ connectionString: role.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return;
      }
      taken.push(client);
    }
  };
  try {
    const { key } = await server.createKey();
    const body = { streamId: 's', prompt: 'x', model: 'sim-instant', maxTokens: 9 };
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    const refused = await waitUntil(async () => {
      await takeAll();
      // What the server holds is taken from it; what it gets before us, too, the next time.
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and application_name <> ''`,
        [role.name],
      );
      await takeAll();
      const answer = await server.call('GET', '/readyz');
      return JSON.stringify(answer.body).includes('connections') ? answer : undefined;
    }, 'not ready');
    expect(refused.status).toBe(503);
    expect((await server.call('POST', '/api/v1/execute', { key, body })).status).toBe(503);
    await Promise.all(taken.splice(0).map((client) => client.end()));
    await waitUntil(
      async () => (await server.call('GET', '/readyz')).status === 200,
      'ready again',
    );
    await server.finished(key, await server.submit(key));
  } finally {
    await Promise.all(taken.map((client) => client.end()));
    await server.close();
    await admin.query(`drop owned by ${role.name}`);
    await admin.query(`drop role ${role.name}`);
    await admin.end();
    await database.drop();
  }
});
