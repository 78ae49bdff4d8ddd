import { describe, expect, it } from 'vitest';
import { compose } from '../../../src/manifest/compose/compose.ts';
import { writeManifest } from '../../../src/manifest/compose/write-manifest.ts';
import { parseManifest } from '../../../src/manifest/text/parse.ts';
import { aProposed, aRepository } from './a-repository.ts';

describe('the written manifest', () => {
  it('reads like one that a person wrote, with the repairs as comments', () => {
    const files = { 'src/list.ts': [], 'src/search.ts': [], 'test/list.test.ts': ['src/list.ts'] };
    const streams = [
      aProposed('search', { owns: ['SRC/search.ts', '.git/config'], plan: 'Write it.\nTest it.' }),
      aProposed('list', { owns: ['src/list.ts'], verify: ['true'] }),
      aProposed('docs', { owns: ['../x'] }),
    ];
    const composed = compose({ feature: 'search', streams }, aRepository({ files }));
    if (composed.kind === 'unusable') throw new Error('unusable');
    expect(writeManifest(composed.plan)).toBe(
      `\
# paths: left out ../x: it leads out of the project
# paths: left out the stream docs: no file that it may write is left
feature: search
streams:
  # paths: left out .git/config: .git is never written
  # spellings: SRC/search.ts is written as src/search.ts
  search:
    name: search
    owns: [src/search.ts]
    plan: |-
      Write it.
      Test it.
    setup: [npm ci]
    verify: [npm test, npm run lint]

  # verify: dropped proposed commands: true; commands come from package files
  list:
    name: list
    owns: [src/list.ts]
    plan: Do list.
    setup: [npm ci]
    verify: [npx vitest run test/list.test.ts, npm run lint]
`,
    );
  });

  it.each([
    'a\nstreams: {}',
    'a\r\nfeature: x',
    'a\u2028b: c',
    'a\u0085b: c',
    '# # #',
    '\u0000\u0007\uFEFF',
    '\u202Eb',
    'x'.repeat(100_000),
    '\uD800',
  ])('keeps a remark in its comment, whatever is in it: %j', (text) => {
    const stream = { ...aProposed('a', { owns: ['a.ts'] }), id: 'a' };
    const remarks = [{ rule: 'paths', text } as const, { rule: 'ids', text, stream: 'a' } as const];
    const written = writeManifest({ feature: 'f', streams: [stream], remarks });
    const plain = writeManifest({ feature: 'f', streams: [stream], remarks: [] });
    const lines = written.split(/\r\n|[\r\n\u0085\u2028\u2029]/);
    expect(lines.filter((line) => !/^ *# /.test(line)).join('\n')).toBe(plain);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(220);
    expect(parseManifest(written).problems).toEqual([]);
  });

  it('shows a few of many repairs and counts the rest, but names all that is left out', () => {
    const remarks = (['paths', 'hubs'] as const).flatMap((rule) =>
      Array.from({ length: 40 }, (_, n) => ({ rule, text: `${n}` })),
    );
    const stream = { ...aProposed('a', { owns: ['a.ts'] }), id: 'a' };
    const written = (of: typeof remarks) =>
      writeManifest({ feature: 'f', streams: [stream], remarks: of });
    expect(written(remarks.slice(40))).toMatch('# hubs: 11\n# and 28 more\n');
    const text = written(remarks);
    expect(remarks.filter(({ rule, text: n }) => text.includes(`# ${rule}: ${n}\n`))).toHaveLength(
      40,
    );
    expect(text).toMatch('# paths: 39\n# and 40 more\n');
  });
});
