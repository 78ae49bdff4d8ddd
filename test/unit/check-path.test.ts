import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effort } from '../support/effort.ts';
import { checkPath } from '../../src/domain/artifact/check-path.ts';

test.each([
  'a',
  'src/main.ts',
  'src/.gitignore',
  '.github/workflows/ci.yml',
  'docs/ünï/漢字.md',
  'a b/c d.txt',
  'gitconfig',
  'src/a..b.ts',
  `${'x/'.repeat(63)}y`,
  '..%2fx',
  'console.ts',
  'backup-file~1.txt',
])('accepts %j', (path) => {
  expect(checkPath(path)).toBeUndefined();
});

test.each([
  '',
  '.',
  '..',
  '../x',
  'a/../../x',
  'a/./b',
  './a',
  'a//b',
  'a/',
  '/etc/passwd',
  '//server/x',
  '~/.ssh/authorized_keys',
  '~root/x',
  'C:\\x',
  'c:/x',
  '..\\x',
  'a:stream',
  '.git/config',
  '.GIT/hooks/x',
  'sub/.Git/config',
  '.git',
  '.git\u200c/config',
  'git~1/config',
  'a\u0000b',
  'a\nb',
  'a\u007fb',
  'a\u0085b',
  '\u202ecod.exe',
  'a\u2066b',
  'a\ufeffb',
  'a\u2028b',
  'a\u00adb',
  'a\u0600b',
  'e\u0301.txt',
  '\ud800x',
  'src/a.',
  'src/a ',
  'src/ a',
  'CON',
  'nul.txt',
  'x/com1.log',
  'a'.repeat(256),
  `${'x/'.repeat(64)}y`,
  `${'ab/'.repeat(50)}${'漢'.repeat(80)}/${'漢'.repeat(80)}/${'漢'.repeat(80)}/${'漢'.repeat(80)}`,
])('refuses %j', (path) => {
  expect(checkPath(path)).toBeTypeOf('string');
});

test('a path that passes never leaves the folder it is joined to', () => {
  const segment = fc.oneof(
    fc.constantFrom('..', '.', '', '.git', 'a', '~', 'C:', '\\', '.GIT', '\u0000', '．．'),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 6 }), (segments) => {
      const path = segments.join('/');
      if (checkPath(path) !== undefined) return;
      const url = new URL(path.split('/').map(encodeURIComponent).join('/'), 'file:///root/dir/');
      expect(url.pathname.startsWith('/root/dir/')).toBe(true);
      expect(path.toLowerCase().split('/')).not.toContain('.git');
    }),
    { numRuns: effort(4_000) },
  );
});
