import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { runHere } from '../support/run-here.ts';
import { TEST_MASTER_KEY } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ allowPrivateTargets: true });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-support-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function unzip(path: string): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(await readFile(path));
  const files: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files[entry.fileName] = Buffer.concat(chunks).toString('utf8');
  }
  return files;
}

it('tells how the server is doing, and none of its secrets', async () => {
  const { key } = await server().createKey();
  const hook = { url: 'http://127.0.0.1:9/canary-path', events: ['*'] };
  const made = await server().call('POST', '/v1/webhooks', { key, body: hook });
  const prompt = 'canary-prompt-4711';
  await server().finished(key, await server().submit(key, { prompt }));
  const canary = () => `canary${randomBytes(12).toString('hex')}`;
  const secrets = {
    key,
    prompt,
    webhook: made.body['secret'] as string,
    database: decodeURIComponent(new URL(server().databaseUrl).password),
    master: TEST_MASTER_KEY,
    openai: canary(),
    anthropic: `sk-ant-${canary()}`,
    oidc: canary(),
    smtp: canary(),
    vendorUrl: canary(),
    ownKey: `mill_sk_${canary()}`,
    session: `mill_ss_${canary()}`,
  };
  const settings = {
    DATABASE_URL: server().databaseUrl,
    MILLRACE_PORT: new URL(server().url).port,
    MILLRACE_DATA_DIR: join(folder, 'data'),
    MILLRACE_MASTER_KEY: secrets.master,
    MILLRACE_OPENAI_API_KEY: secrets.openai,
    MILLRACE_ANTHROPIC_API_KEY: secrets.anthropic,
    MILLRACE_OPENAI_BASE_URL: `https://example.com/v1?key=${secrets.vendorUrl}`,
    MILLRACE_OIDC_ISSUER: 'https://login.example.com',
    MILLRACE_OIDC_CLIENT_ID: 'millrace',
    MILLRACE_OIDC_CLIENT_SECRET: secrets.oidc,
    MILLRACE_PUBLIC_URL: 'https://millrace.example.com',
    MILLRACE_SMTP_URL: `smtp://mailer:${secrets.smtp}@mail.example.com:587`,
    MILLRACE_MAIL_FROM: 'millrace@example.com',
    MILLRACE_API_KEY: secrets.ownKey,
  };
  const log = join(folder, 'server.log');
  const { prompt: _, vendorUrl: __, ...logged } = secrets;
  await writeFile(
    log,
    Object.values(logged)
      .map((each) => `{"msg":"said ${each}"}\n`)
      .join(''),
  );
  const path = join(folder, 'a.zip');
  const ran = await runHere(['support-bundle', path, '--log', log], settings);
  expect(ran).toMatchObject({ code: 0 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const files = await unzip(path);
  const all = JSON.stringify(files);
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(5);
    expect(all.includes(secret), name).toBe(false);
    expect(all.includes(encodeURIComponent(secret)), name).toBe(false);
  }
  expect(JSON.parse(files['settings.json']!)).toMatchObject({
    MILLRACE_OPENAI_API_KEY: { value: '[hidden]', from: 'environment' },
    MILLRACE_MAIL_FROM: { value: 'millrace@example.com' },
    MILLRACE_SLOTS: { value: '256', from: 'default' },
    MILLRACE_STRIPE_KEY: { value: '', from: 'unset' },
  });
  expect(JSON.parse(files['database.json']!)).toMatchObject({
    schema: { version: expect.any(Number) },
    nodes: [{ role: 'all' }],
    queue: { pending: 0, running: 0 },
    tables: expect.arrayContaining([expect.objectContaining({ table: 'public.jobs' })]),
  });
  expect(files['doctor.json']).toContain('"data folder"');
  expect(files['metrics.txt']).toContain('millrace_jobs_submitted_total');
  expect(files['server.log']).toContain('said [hidden]');
  const again = await runHere(['support-bundle', path], settings);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
});

it('is made also where no server runs and where the settings are wrong', async () => {
  const dataDir = join(folder, 'other');
  await mkdir(dataDir);
  await writeFile(
    join(dataDir, 'postgres.log'),
    '2026-11-16 12:00:00.000 UTC [7] ERROR:  duplicate key\n' +
      '2026-11-16 12:00:00.000 UTC [7] DETAIL:  Key (email)=(jane@example.com) already exists.\n' +
      "2026-11-16 12:00:00.000 UTC [7] STATEMENT:  insert into jobs values ('prompt\n\tof jane')\n",
  );
  const settings = { MILLRACE_DATA_DIR: dataDir, MILLRACE_PORT: '1' };
  const path = join(folder, 'b.zip');
  expect(await runHere(['support-bundle', path], settings)).toMatchObject({ code: 0 });
  const files = await unzip(path);
  expect(files['postgres.log']).toContain('duplicate key');
  expect(files['postgres.log']).not.toMatch(/jane|prompt/);
  expect(files['database.json']).toContain('not running');
  expect(files['metrics.txt']).toContain('"error"');

  const wrong = join(folder, 'c.zip');
  const bad = { ...settings, MILLRACE_SLOTS: 'many' };
  expect(await runHere(['support-bundle', wrong], bad)).toMatchObject({ code: 0 });
  expect((await unzip(wrong))['problems.json']).toContain('MILLRACE_SLOTS');
});
