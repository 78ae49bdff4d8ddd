// Entries of `owns` and `reads` for property tests, over few names so that they often meet.
import fc from 'fast-check';

const name = fc.constantFrom('a', 'b', 'ab', 'a.ts', 'b.ts', 'src', 'x.md');
const wildName = fc.constantFrom(
  '*',
  '?',
  'a*',
  '*.ts',
  '*b*',
  '[ab]',
  '[!a]*',
  '?.ts',
  '[a-b].ts',
);
const segment = fc.oneof({ weight: 3, arbitrary: name }, { weight: 2, arbitrary: wildName });
const globstar = fc.constant('**');

/** Literal paths, folders, globs, `**` anywhere, and sometimes a group in braces. */
export const anyEntry: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 4, arbitrary: segment }, { weight: 1, arbitrary: globstar }), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.boolean(),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([parts, isFolder, brace]) => {
    const text = parts.join('/');
    if (brace === 0) return `${text}/{a,b*}.ts`;
    return isFolder && brace < 4 ? `${text}/` : text;
  });

export const anyPath: fc.Arbitrary<string> = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'a.ts', 'b.ts', 'src', 'x.md', 'c', 'ba.ts'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join('/'));
