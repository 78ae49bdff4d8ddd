// `millrace api`: any route of the server, as the caller that every other command is.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJsonPath, selectFrom } from '../../src/cli/commands/api/json-path.ts';
import { bodyOf } from '../../src/cli/commands/api/request-fields.ts';
import { pathOn } from '../../src/cli/commands/api/request-path.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import { runEither, runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-api-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function asCaller(email?: string) {
  const scopes = [...SCOPES];
  const { key } = await server().createKey(email === undefined ? { scopes } : { email, scopes });
  const env = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
  return (args: string[], input?: string) => runEither(['api', ...args], env, input);
}

describe('millrace api', () => {
  it('acts as the caller, in the team that is named, and prints the answer as it is', async () => {
    const api = await asCaller('api@example.com');
    const me = await api(['/api/v1/auth/me']);
    expect(me.code, me.stderr).toBe(0);
    expect(JSON.parse(me.stdout)).toMatchObject({ user: { email: 'api@example.com' } });
    expect(me.stdout.split('\n')).toHaveLength(2);
    const made = await api(['v1/teams', '-f', 'name=Birds']);
    const { id } = JSON.parse(made.stdout) as { id: string };
    const within = await api(['get', '/api/v1/auth/me', '--team', 'birds']);
    expect(JSON.parse(within.stdout)).toMatchObject({ team: { id } });
    // An address of the same server is a path of it.
    const whole = await api([`${server().url}/v1/teams/${id}`, '--jq-like', '.name']);
    expect(whole).toMatchObject({ code: 0, stdout: 'Birds\n' });
  });

  it('puts fields into the query or the body, with types where they are asked for', async () => {
    const api = await asCaller();
    const fields = '-f name=1 -F expiresInDays=30 -f scopes[]=jobs -f scopes[]=history';
    const made = await api(['POST', '/api/v1/api-keys', ...fields.split(' ')]);
    expect(made.code, made.stdout + made.stderr).toBe(0);
    const { id, ...rest } = JSON.parse(made.stdout) as { id: string };
    expect(rest).toMatchObject({ name: '1', scopes: ['jobs', 'history'] });
    const gone = await api(['DELETE', `/api/v1/api-keys/${id}`, '--jq-like', '.revoked']);
    expect(gone.stdout).toBe('true\n');
    const page = await api(['GET', '/api/v1/history?offset=7', '-F', 'limit=3']);
    expect(JSON.parse(page.stdout)).toMatchObject({ offset: 7, limit: 3 });
  });

  it('sends a whole body from a file or from standard input', async () => {
    const api = await asCaller();
    const file = join(folder, 'team.json');
    await writeFile(file, '{"name": "From a file"}');
    const fromFile = await api(['/v1/teams', '--input', file, '--jq-like', '.name']);
    expect(fromFile).toMatchObject({ code: 0, stdout: 'From a file\n' });
    const piped = await api(['POST', '/v1/teams', '--input', '-'], '{"name": "Piped"}');
    expect(JSON.parse(piped.stdout)).toMatchObject({ name: 'Piped' });
    await writeFile(file, 'A name');
    const named = await api(['/v1/teams', '-F', `name=@${file}`, '--jq-like', '.name']);
    expect(named.stdout).toBe('A name\n');
  });

  it('prints all pages of a list as one, by cursor and by offset', async () => {
    const api = await asCaller();
    const ids: string[] = [];
    for (const streamId of ['a', 'b', 'c', 'd', 'e']) {
      const body = ['-f', `streamId=${streamId}`, '-f', 'prompt=x', '-f', 'model=sim-instant'];
      const sent = await api(['/api/v1/execute', ...body, '-F', 'maxTokens=5']);
      ids.unshift((JSON.parse(sent.stdout) as { jobId: string }).jobId);
    }
    const jobs = await api(['/api/v1/jobs', '-f', 'limit=2', '--paginate']);
    const all = JSON.parse(jobs.stdout) as { items: { jobId: string }[]; nextCursor: unknown };
    expect(all.items.map(({ jobId }) => jobId)).toEqual(ids);
    expect(all.nextCursor).toBeNull();
    const paged = ['/api/v1/history?limit=2', '--paginate', '--jq-like', '.items[].feature'];
    const runs = await api(paged);
    expect(runs.stdout).toBe('e\nd\nc\nb\na\n');
    expect(JSON.parse((await api([...paged, '--json'])).stdout)).toEqual(['e', 'd', 'c', 'b', 'a']);
    const whole = await api(['/api/v1/history?limit=2', '--paginate']);
    expect(JSON.parse(whole.stdout)).toMatchObject({ offset: 0, total: 5, limit: 2 });
    // What is no list has one page.
    expect((await api(['/api/v1/auth/me', '--paginate', '--jq-like', '.user.id'])).code).toBe(0);
    expect((await api(['POST', '/v1/teams', '--paginate'])).code).toBe(EXIT.usage);
  });

  it('prints what is not JSON unchanged, and streams it', async () => {
    const api = await asCaller();
    const page = await api(['/docs/cli.md']);
    const served = await (await fetch(`${server().url}/docs/cli.md`)).text();
    expect(page).toMatchObject({ code: 0, stdout: served, stderr: '' });
    const part = await api(['/docs/cli.md', '--jq-like', '.x']);
    expect([part.code, part.stderr]).toEqual([1, expect.stringContaining('not JSON')]);
    const job = '-f streamId=s -f prompt=x -f model=sim-instant -F maxTokens=5 --jq-like .jobId';
    const sent = await api(['/api/v1/execute', ...job.split(' ')]);
    const streamed = await api([`/api/v1/job/${sent.stdout.trim()}/events`]);
    expect(streamed.stdout).toMatch(/event: done\n/);
  });

  it('reports an error of the server as other commands do', async () => {
    const api = await asCaller();
    const none = await api(['/v1/executions/exec_01jcq8z5e0e5v8r3m6k1t2w9xh', '--json']);
    expect(none.code).toBe(EXIT.failed);
    expect(JSON.parse(none.stdout)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    const invalid = await api(['POST', '/v1/teams', '-F', 'name=5']);
    expect([invalid.code, invalid.stdout]).toEqual([EXIT.usage, '']);
    expect(invalid.stderr).toMatch(/^Error: .*name/);
    const env = { MILLRACE_URL: server().url, MILLRACE_API_KEY: 'mill_sk_wrong' };
    expect((await runHere(['api', '/v1/teams'], env)).code).toBe(EXIT.notAuthorised);
    const away = { ...env, MILLRACE_URL: 'http://127.0.0.1:1' };
    expect((await runHere(['api', '/v1/teams'], away)).code).toBe(EXIT.unreachable);
  });

  it('refuses what makes no sense before anything is sent', async () => {
    const api = await asCaller();
    const cases: [string[], RegExp][] = [
      [['FETCH', '/v1/teams'], /Unknown method "FETCH"[^]*GET, POST, PUT, PATCH, DELETE/],
      [['POST'], /No path given[^]*\/v1\/executions/],
      [[''], /The path is empty/],
      [['GET', ' '], /The path is empty/],
      [['/v1/teams', '-f', 'name'], /needs a name and a value[^]*name=value/],
      [['/v1/teams', '-F', '=x'], /needs a name and a value/],
      [['/v1/teams', '-f', 'a]=x'], /brackets in the wrong place/],
      [['/v1/teams', '-f', 'a=1', '-f', 'a=2'], /"a" was given twice/],
      [['/v1/teams', '-f', 'a[]=1', '-f', 'a[b]=2'], /used in two ways/],
      [['GET', '/v1/teams', '--input', 'x.json'], /GET takes no body/],
      [['/v1/teams', '--input', join(folder, 'none.json')], /cannot read/],
      [['/v1/teams', '-F', `name=@${join(folder, 'none')}`], /cannot read/],
      [['/v1/teams', '--jq-like', '.items | length'], /not a plain path[^]*\.items\[\]\.id/],
    ];
    for (const [args, says] of cases) {
      const refused = await api(args);
      expect([args, refused.code, refused.stdout]).toEqual([args, EXIT.usage, '']);
      expect(refused.stderr).toMatch(says);
    }
    const broken = await api(['/v1/teams', '--input', '-'], '{"name":');
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('is not JSON')]);
  });

  it('never sends the key to another host', async () => {
    const seen: string[] = [];
    const foreign = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    const other = `127.0.0.1:${(foreign.address() as AddressInfo).port}`;
    try {
      const api = await asCaller();
      for (const path of [`http://${other}/v1/teams`, `HTTP:${other}/x`, 'file:///etc/hosts']) {
        const refused = await api([path]);
        expect([path, refused.code]).toEqual([path, EXIT.usage]);
        expect(refused.stderr).toContain('Nothing was sent.');
      }
      // These are odd paths of the server itself.
      for (const path of [`//${other}/x`, `/\\${other}/x`, `@${other}/x`, `/../../${other}`]) {
        expect((await api([path])).code, path).toBe(EXIT.failed);
      }
      expect(seen).toEqual([]);
    } finally {
      foreign.close();
    }
  });
});

it('a path stays below the address of the server', () => {
  const on = (path: string) => pathOn('https://example.com/millrace/', path, []);
  expect(on('v1/teams')).toBe('/v1/teams');
  expect(on('https://example.com/millrace/v1/teams?limit=1#x')).toBe('/v1/teams?limit=1');
  expect(pathOn('http://127.0.0.1:1', '/a?b=1', [['c', 'd e']])).toBe('/a?b=1&c=d+e');
  for (const path of [
    '../secrets',
    '/../x',
    'https://example.com/x',
    'https://example.com.evil/',
  ]) {
    expect(() => on(path)).toThrow('Nothing was sent.');
  }
});

it('fields make objects and lists, whatever they are called', () => {
  const body = bodyOf([
    { name: 'a[b][c]', value: 1 },
    { name: 'a[b][d][]', value: null },
    { name: 'a[b][d][]', value: true },
    { name: '__proto__[polluted]', value: 'x' },
  ]);
  expect(JSON.stringify(body)).toBe(
    '{"a":{"b":{"c":1,"d":[null,true]}},"__proto__":{"polluted":"x"}}',
  );
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(() =>
    bodyOf([
      { name: 'a', value: 1 },
      { name: 'a[b]', value: 2 },
    ]),
  ).toThrow();
});

it('a plain path selects what jq would', () => {
  const answer = { items: [{ id: 'a', 'odd name': [1, 2] }, { id: 'b' }], none: null };
  const select = (path: string) => selectFrom(answer, parseJsonPath(path));
  expect(select('.')).toEqual([answer]);
  expect(select('.items[].id')).toEqual(['a', 'b']);
  expect(select('.items[-1].id')).toEqual(['b']);
  expect(select('.items.[0]["odd name"][1]')).toEqual([2]);
  expect(select('.none.x[0]')).toEqual([null]);
  expect(select('.constructor')).toEqual([null]);
  expect(() => select('.items.id')).toThrow('a list where the path needs an object');
  expect(() => select('.none[]')).toThrow('null where the path needs a list');
  for (const path of ['', 'items', '..', '..id', '.items[', '.a-b', '.["x\\q"]', '.[1:2]', '.a?']) {
    expect(() => parseJsonPath(path), path).toThrow('not a plain path');
  }
});
