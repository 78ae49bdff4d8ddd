import { readFileSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { findRunningEmbedded } from '../../src/store/embedded/supervisor.ts';
import { runCli, startServe } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { MODELS, vendorSettings } from './key-server.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

// Of shapes that no pattern knows, but for one: they must be hidden for what they are.
const RAW = {
  stored: 'zzstored0Xq7Kp2Vn9Lr4Tw8Bm3Hc6Jd1',
  replaced: 'zzreplaced5Yt1Gs8Fe3Wa6Qo9Zu2Ni4C',
  rejected: 'zzrejected7Ub4Rk9Mx1Pv6Dh3Sj8Lq5E',
  request: 'zzrequest2Hn8Cw5Zt9Gy1Kf4Xb7Vm3Ra',
  withQuotes: 'zzquotes"\\8Jp3Ls6Tq1Ew9Nk4Ao7Bd2',
  shaped: 'sk-ant-api03-3Fv7Qm1Zs9Xk5Hd2Lw8Rb',
  operator: 'zzoperator9Md4Jc7Vx2Tn6Wp1Ye5Ku8Q',
} as const;
const CANARY = 'zz-not-a-secret-but-stored-4711';

function filesOf(folder: string): { path: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
}

/** As it is, and as JSON, base64 and parts of it would show it. */
function traces(raw: string): string[] {
  return [
    raw,
    JSON.stringify(raw).slice(1, -1),
    Buffer.from(raw).toString('base64').slice(0, -4),
    Buffer.from(raw).toString('hex'),
    encodeURIComponent(raw),
    raw.slice(8, 28),
  ];
}

async function dumpOf(url: string): Promise<string> {
  const db = openDb({ url, poolSize: 1, silenceMs: PATIENT_MS });
  try {
    const tables = await db.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const dumps: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await db.query<{ row: string }>(`select t::text as row from ${name} t`);
      dumps.push(name, ...rows.map(({ row }) => row));
    }
    return dumps.join('\n');
  } finally {
    await db.close();
  }
}

it('no key is ever written in the clear: not to logs, tables, files or answers', async () => {
  verifies('provider-keys.never-returned', 'provider-keys.encrypted', 'job.provider-key.discarded');
  const folder = await mkdtemp(join(tmpdir(), 'millrace-leaks-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // As root the database runs under another user, and lies elsewhere when that one may not enter.
  await chmod(folder, 0o755);
  const vendors = await startVendorServer();
  const settings = {
    MILLRACE_DATA_DIR: join(folder, 'data'),
    MILLRACE_LOG_LEVEL: 'trace',
    MILLRACE_GOOGLE_API_KEY: RAW.operator,
    ...vendorSettings(vendors),
  };
  const answers: string[] = [];
  const server = await startServe(['--port', '0'], settings);
  try {
    const url = server.ready.url!;
    const made = await runCli(
      ['api-keys', 'create', '--email', 'a@example.com', '--json'],
      settings,
    );
    const { key } = JSON.parse(made.stdout) as { key: string };
    const call = async (method: string, path: string, body?: object, raw?: string) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          'x-api-key': key,
          ...(body && { 'content-type': 'application/json' }),
          ...(raw === undefined ? {} : { 'x-provider-key': raw }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      answers.push(JSON.stringify([...response.headers]), text);
      return { status: response.status, text, body: JSON.parse(text) as Record<string, string> };
    };
    const store = (provider: string, raw: string) =>
      call('POST', '/api/v1/keys', { provider, key: raw, tosAccepted: true });
    const execute = (provider: keyof typeof MODELS, prompt: string, raw?: string) =>
      call(
        'POST',
        '/api/v1/execute',
        { streamId: 'api', model: MODELS[provider], prompt, maxTokens: 50 },
        raw,
      );
    const run = async (...job: Parameters<typeof execute>) => {
      const { status, body, text } = await execute(...job);
      expect(status, text).toBe(202);
      for (;;) {
        const { body: view } = await call('GET', `/api/v1/job/${body['jobId']}?wait=30&view=full`);
        if (['completed', 'failed'].includes(view['status']!)) {
          await call('GET', `/api/v1/job/${body['jobId']}`);
          return view;
        }
      }
    };
    const echo = (fault: string) => `[[vendor:fault name=${fault} echo-key=1]] ${CANARY}`;

    // Stored: kept, replaced, rejected with its own text quoted, and in a body that is refused.
    expect((await store('anthropic', RAW.replaced)).status).toBe(201);
    expect((await store('anthropic', RAW.stored)).status).toBe(200);
    expect((await store('openrouter', RAW.shaped)).status).toBe(201);
    vendors.script({
      vendor: 'openai',
      path: '/models',
      fault: 'http-401',
      options: { echoKey: true },
      times: 1,
    });
    expect((await store('openai', RAW.rejected)).status).toBe(400);
    await call('POST', '/api/v1/keys', { provider: 'nobody', key: RAW.rejected, tosAccepted: 1 });
    await call('POST', '/api/v1/keys', {
      provider: 'openai',
      key: `${RAW.rejected} ${RAW.rejected}`,
    });
    await call('POST', '/api/v1/keys/anthropic/test');

    // Used: with success, with errors of the vendor that quote the key, before and in the stream.
    expect(await run('anthropic', CANARY)).toMatchObject({ status: 'completed' });
    expect(await run('google', CANARY)).toMatchObject({ status: 'completed' });
    const raws = [undefined, RAW.request, RAW.withQuotes];
    for (const provider of ['anthropic', 'google', 'openrouter'] as const) {
      for (const fault of ['http-400', 'http-401', 'http-403']) {
        const ends = await Promise.all(raws.map((raw) => run(provider, echo(fault), raw)));
        for (const end of ends) expect(end).toMatchObject({ status: 'failed' });
      }
    }
    const quoted = vendors.calls().find((one) => one.fault === 'http-400');
    expect(quoted?.key).toBeDefined();
    await run(
      'anthropic',
      `[[vendor:fault name=http-503 echo-key=1 times=1]] ${CANARY}`,
      RAW.request,
    );
    await run('anthropic', `[[vendor:fault name=redirect times=1]] ${CANARY}`, RAW.request);
    await execute('anthropic', CANARY, `${RAW.request} ${RAW.request}`);

    // Cancelled while the vendor works.
    const hanging = '[[vendor:fault name=hang-mid-stream id=cancelled]]';
    const { body } = await execute('anthropic', hanging, RAW.request);
    await waitUntil(() => vendors.calls({ id: 'cancelled' })[0]?.pieces, 'the call to begin');
    const database = findRunningEmbedded(settings.MILLRACE_DATA_DIR)!;
    const during = await dumpOf(database.url);
    expect(during).toMatch(/v1\.\w{12}\./);
    await call('POST', `/api/v1/job/${body['jobId']}/cancel`);
    await call('GET', `/api/v1/job/${body['jobId']}/events`).catch(() => undefined);
    await call('GET', '/api/v1/keys');
    await call('DELETE', '/api/v1/keys/openrouter');

    const used = new Set(vendors.calls().map((one) => one.key));
    expect(used).toEqual(new Set(Object.values(RAW)));
    const after = await dumpOf(database.url);
    expect(after).toContain(CANARY);
    for (const raw of Object.values(RAW)) {
      for (const trace of traces(raw)) {
        expect(during + after, 'in the tables').not.toContain(trace);
        expect(answers.join('\n'), 'in an answer').not.toContain(trace);
      }
    }
  } finally {
    await server.kill('SIGTERM');
    await vendors.close();
  }
  expect(await server.ended).toBe(0);
  const output = server.output();
  expect(output).toContain('/api/v1/keys');
  const files = filesOf(folder);
  // The search finds what is there: the prompts, in the tables and in the write-ahead log.
  const holding = files.filter(({ bytes }) => bytes.includes(CANARY)).map(({ path }) => path);
  expect(holding.some((path) => path.includes('pg_wal'))).toBe(true);
  for (const [name, raw] of Object.entries(RAW)) {
    for (const trace of traces(raw)) {
      expect(output.includes(trace), `${name} in the log`).toBe(false);
      const found = files.filter(({ bytes }) => bytes.includes(trace)).map(({ path }) => path);
      expect(found, `${name} on disk`).toEqual([]);
    }
  }
});
