import { describe, expect, it } from 'vitest';
import { passwordProblem } from '../../src/domain/accounts/password-rules.ts';
import { HashingBusyError, createPasswordHasher } from '../../src/platform/password-hash.ts';
import { verifies } from '../support/verifies.ts';

const EMAIL = 'jane.walker@example.com';

describe('a password', () => {
  it.each([
    ['correct horse battery staple'],
    ['vK2#pq9!mZ0w'],
    ['tulpe-wagen-regen-42'],
    ['ein Satz, den niemand kennt'],
    ['пароль которого нет'],
    ['dragon monkey summer'],
  ])('such as "%s" is accepted', (password) => {
    expect(passwordProblem(password, EMAIL)).toBeUndefined();
  });

  it.each([
    ['vK2#pq9!mZ0', 'PASSWORD_TOO_SHORT'],
    ['𝒜𝒜𝒜𝒜𝒜𝒜', 'PASSWORD_TOO_SHORT'],
    ['x1!'.repeat(100), 'PASSWORD_TOO_LONG'],
    ['aaaaaaaaaaaaaaaa', 'PASSWORD_TOO_COMMON'],
    ['abcabcabcabcabc', 'PASSWORD_TOO_COMMON'],
    ['123456789012', 'PASSWORD_TOO_COMMON'],
    ['qwertyuiop123', 'PASSWORD_TOO_COMMON'],
    ['Password1234!', 'PASSWORD_TOO_COMMON'],
    ['P@ssw0rd12345', 'PASSWORD_TOO_COMMON'],
    ['passwordpassword', 'PASSWORD_TOO_COMMON'],
    ['janewalker123', 'PASSWORD_TOO_COMMON'],
    ['Millrace1234', 'PASSWORD_TOO_COMMON'],
  ])('such as "%s" is refused: %s', (password, problem) => {
    expect(passwordProblem(password, EMAIL)).toBe(problem);
  });
});

describe('hashing', () => {
  it('is argon2id, with a salt of its own', async () => {
    verifies('accounts.password-hash');
    const hasher = createPasswordHasher();
    const [one, two] = [await hasher.hash('a password'), await hasher.hash('a password')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await hasher.verify('a password', one)).toBe(true);
    expect(await hasher.verify('another one', one)).toBe(false);
    expect(await hasher.verify('a password', null)).toBe(false);
  });

  it('turns callers away when many wait, and goes on with those that do', async () => {
    const hasher = createPasswordHasher();
    const asked = Array.from({ length: 25 }, () => hasher.hash('a password'));
    const ended = await Promise.allSettled(asked);
    const refused = ended.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(3);
    expect(refused[0]!.reason).toBeInstanceOf(HashingBusyError);
    expect(await hasher.verify('a password', await hasher.hash('a password'))).toBe(true);
  });
});
