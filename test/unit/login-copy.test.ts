// A person's login as an agent gets it, and what becomes of theirs afterwards.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLoginCopy } from '../../src/agents/login/login-copy.ts';

const INSIDE = '.agent/login.json';
const OF_PERSON = {
  mode: 'chat',
  API_KEY: 'sk-charged',
  tokens: { access_token: 'a1', refresh_token: 'r1', account_id: 'me', scopes: ['x'] },
  last_refresh: '2026-11-18',
};
const fresh = (more: object = {}) => ({
  mode: 'chat',
  tokens: { ...OF_PERSON.tokens, access_token: 'a2', refresh_token: 'r2', ...more },
  last_refresh: '2026-11-19',
});

let base: string;
let file: string;
let home: string;
const copy = () => join(home, INSIDE);
const text = () => readFileSync(file, 'utf8');
const write = (path: string, value: unknown) => writeFileSync(path, JSON.stringify(value));

beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-login-')));
  file = join(base, 'own', 'login.json');
  home = join(base, 'home');
  for (const folder of ['own', 'home']) mkdirSync(join(base, folder));
  write(file, OF_PERSON);
  chmodSync(file, 0o640);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = () =>
  openLoginCopy(
    { file, inside: INSIDE, withheld: ['API_KEY'], hosts: [] },
    { path: home, remove: () => rmSync(home, { recursive: true, force: true }) },
  );

describe('the login of a person, lent to an agent', () => {
  it('is a private copy without keys, which is gone afterwards', async () => {
    const before = text();
    const lent = open()!;
    expect(readFileSync(copy(), 'utf8')).not.toContain('sk-charged');
    expect(statSync(copy()).mode & 0o777).toBe(0o600);
    // None of them may be kept with what the agent remembers.
    expect(await lent.close()).toEqual({ secrets: ['sk-charged', 'a1', 'r1'] });
    expect(text()).toBe(before);
    expect(existsSync(copy())).toBe(false);
  });

  it('comes back when it was refreshed, with all that was not lent', async () => {
    const lent = open()!;
    write(copy(), fresh({ refresh_expires_in: 60 }));
    expect(await lent.close()).toEqual({ secrets: ['sk-charged', 'a1', 'r1', 'a2', 'r2'] });
    const tokens = { ...fresh().tokens, refresh_expires_in: 60 };
    expect(JSON.parse(text())).toEqual({ ...OF_PERSON, tokens, last_refresh: '2026-11-19' });
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(base, 'own'))).toEqual(['login.json']);
  });

  it('is left as it is when the person has signed in again meanwhile', async () => {
    const lent = open()!;
    write(copy(), fresh());
    write(file, { ...OF_PERSON, last_refresh: 'just now' });
    const now = text();
    expect((await lent.close()).about).toContain('has changed meanwhile');
    expect(text()).toBe(now);
  });

  it.each<[string, () => void]>([
    ['another account', () => write(copy(), fresh({ account_id: 'mallory' }))],
    ['another field', () => write(copy(), { ...fresh(), helper: 'sh -c evil' })],
    ['a field less', () => write(copy(), { mode: 'chat', last_refresh: 'x' })],
    ['another kind of value', () => write(copy(), fresh({ access_token: { a: 1 } }))],
    ['a key that was not lent', () => write(copy(), { ...fresh(), API_KEY: 'sk-other' })],
    ['half a file', () => writeFileSync(copy(), JSON.stringify(fresh()).slice(0, -5))],
    ['a list', () => write(copy(), [fresh()])],
    [
      'a large file',
      () => writeFileSync(copy(), `${JSON.stringify(fresh())}${' '.repeat(300_000)}`),
    ],
    ['nothing', () => rmSync(copy())],
    [
      'a link to another file',
      () => {
        write(join(base, 'other'), fresh());
        rmSync(copy());
        symlinkSync(join(base, 'other'), copy());
      },
    ],
    [
      'a link to another folder',
      () => {
        write(copy(), fresh());
        renameSync(join(home, '.agent'), join(base, 'moved'));
        symlinkSync(join(base, 'moved'), join(home, '.agent'));
      },
    ],
  ])('is left as it is when the agent leaves %s', async (_what, leave) => {
    const before = text();
    const lent = open()!;
    leave();
    expect((await lent.close()).about).toContain('is no refreshed login');
    expect(text()).toBe(before);
  });

  it('is not lent when it is no login any more', () => {
    writeFileSync(file, 'gone');
    expect(open()).toBeUndefined();
    expect(readdirSync(home)).toEqual([]);
  });
});
