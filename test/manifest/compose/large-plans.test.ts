// Plans that would take the rules minutes are refused in words, and what is large but fine is not made slow by the project.
import { expect, it } from 'vitest';
import { composeProposal } from '../../../src/manifest/compose/compose-proposal.ts';
import { ruleHubs } from '../../../src/manifest/compose/rule-hubs.ts';
import { aDraft, aProposed, aRepository, aStream } from './a-repository.ts';

const numbered = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n));
const filesOf = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, []]));

function problemOf(owns: readonly string[], files: readonly string[] = []) {
  const streams = owns.map((entry, n) => aProposed(`s${n}`, { owns: [entry] }));
  const read = { kind: 'proposal', proposal: { feature: 'f', streams } } as const;
  const composed = composeProposal(read, aRepository({ files: filesOf(files) }));
  return composed.kind === 'invalid' ? composed.problems : [];
}

it('refuses patterns that stand for too many files together', () => {
  const files = numbered(1_001, (n) => `src/${n}.ts`);
  expect(
    problemOf(
      numbered(100, () => 'src/'),
      files,
    ),
  ).toEqual([
    'The patterns and folders of the streams stand for more than 100000 files. Name smaller ones, each in one stream.',
  ]);
  expect(problemOf(['src/', ...numbered(99, (n) => `new/${n}/*.ts`)], files)).toEqual([]);
});

it('refuses braces that stand for too many names', () => {
  const braces = '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}.ts';
  expect(problemOf(numbered(100, (n) => `src/${n}${braces}`))).toEqual([
    'Written out, the braces of the streams stand for more than 20000 names. Name folders instead.',
  ]);
});

it('looks through the files of a plan as often with thousands of hubs as with one', () => {
  const plan = aDraft(
    ...numbered(20, (n) => `s${n}`).map((id) =>
      aStream(id, { owns: numbered(20, (n) => `${id}/${n}.ts`) }),
    ),
  );
  const looksWith = (hubs: number) => {
    const repository = aRepository({ files: filesOf(numbered(hubs, (n) => `p${n}/package.json`)) });
    let looks = 0;
    const hasFile = (path: string) => (looks++, repository.hasFile(path));
    expect(ruleHubs(plan, { ...repository, hasFile }).remarks).toEqual([]);
    return looks;
  };
  // Each hub is asked about itself.
  expect(looksWith(2_000)).toBeLessThan(looksWith(1) + 2_000 * 3);
});
