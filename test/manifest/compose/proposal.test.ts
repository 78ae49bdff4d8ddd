import { describe, expect, it } from 'vitest';
import { compose } from '../../../src/manifest/compose/compose.ts';
import { readProposal } from '../../../src/manifest/compose/proposal.ts';
import { aRepository } from './a-repository.ts';

const stream = { id: 'api', name: 'API', plan: 'Write it.', owns: ['src/a.ts'] };

function problemsOf(given: unknown): string[] {
  const answer = readProposal(given);
  return answer.kind === 'invalid' ? answer.problems : [];
}

describe('a proposal', () => {
  it('is read from an object, from JSON, and with streams by their ids', () => {
    const given = { feature: 'search', streams: [stream] };
    const read = readProposal(given);
    expect(read).toEqual({
      kind: 'proposal',
      proposal: {
        feature: 'search',
        streams: [{ ...stream, reads: [], deps: [], setup: [], verify: [] }],
      },
    });
    expect(readProposal(JSON.stringify(given))).toEqual(read);
    const { id, ...fields } = stream;
    expect(readProposal({ feature: 'search', streams: { [id]: fields } })).toEqual(read);
  });

  it('takes a single text for a list of one and numbers for texts, and leaves out the rest', () => {
    const read = readProposal({ streams: [{ ...stream, owns: 'src/a.ts', deps: [7, null, 'b'] }] });
    expect(read).toMatchObject({
      proposal: { streams: [{ owns: ['src/a.ts'], deps: ['7', 'b'] }] },
    });
  });

  it('takes a text with commas or lines for the list that it is, and a list of steps for a plan', () => {
    const given = {
      owns: 'src/a.ts, src/b.ts',
      reads: 'x.ts\ny.ts\n',
      plan: ['Do one.', 'Do two.'],
    };
    const verify = 'test a, b';
    const braces = { owns: 'src/{a, b}.ts', name: 'B' };
    const read = readProposal({ streams: [{ ...given, verify }, braces] });
    expect(read).toMatchObject({
      proposal: {
        streams: [
          {
            owns: ['src/a.ts', 'src/b.ts'],
            reads: ['x.ts', 'y.ts'],
            plan: 'Do one.\nDo two.',
            verify: ['test a, b'],
          },
          { owns: ['src/{a, b}.ts'] },
        ],
      },
    });
  });

  it('takes other words for a field where the field is missing', () => {
    const other = { files: ['a.ts'], depends_on: ['b'], description: 'Do it.', title: 'A' };
    const meant = { owns: ['a.ts'], deps: ['b'], plan: 'Do it.', name: 'A' };
    expect(readProposal({ streams: [other] })).toMatchObject({ proposal: { streams: [meant] } });
    const both = { ...other, owns: [], deps: [], plan: 'So.', name: 'B' };
    expect(readProposal({ streams: [both] })).toMatchObject({
      proposal: { streams: [{ owns: [], deps: [], plan: 'So.', name: 'B' }] },
    });
  });

  it('keeps what a long name says to do', () => {
    const name = `${'Write it with care. '.repeat(10)}Then test it.`;
    const read = readProposal({ streams: [{ name, owns: ['a.ts'] }] });
    expect(read).toMatchObject({ proposal: { streams: [{ plan: name }] } });
  });

  it.each([
    ['a file with fields', { owns: [{ path: 'a.ts' }] }, '`owns` of stream 2'],
    ['files by their names', { owns: { 'a.ts': 'create' } }, '`owns` of stream 2'],
    ['a dep with fields', { deps: [{ id: 'api' }] }, '`deps` of stream 2'],
    ['a read that is a list', { reads: [['a.ts']] }, '`reads` of stream 2'],
    ['a plan with fields', { plan: { steps: ['Do it.'] } }, '`plan` of stream 2'],
    ['a stream that is a text', 'Write b', 'Stream 2 is no object'],
  ])('is refused rather than read without %s', (_, given, problem) => {
    const other = typeof given === 'string' ? given : { ...stream, ...given };
    expect(problemsOf({ streams: [stream, other] })).toEqual([expect.stringContaining(problem)]);
    expect(problemsOf({ streams: { a: stream, b: other } })).toHaveLength(1);
  });

  it.each([
    ['nothing', undefined, 'JSON object'],
    ['a list', [], 'JSON object'],
    ['text that is no JSON', '{"streams": [', 'JSON object'],
    ['no streams', { feature: 'x' }, '`streams` is missing'],
    ['streams that are no objects', { streams: [1, 'x', null, []] }, '`streams` is empty'],
    [
      '10,000 streams',
      { streams: Array.from({ length: 10_000 }, () => stream) },
      '10000 streams are proposed',
    ],
    ['an endless list', { streams: [{ ...stream, owns: Array(9_000).fill('a') }] }, 'name folders'],
  ])('says what is wrong with %s', (_, given, problem) => {
    expect(problemsOf(given)).toEqual([expect.stringContaining(problem)]);
  });

  it('survives 50,000 levels', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(problemsOf(deep)).toHaveLength(1);
    const read = readProposal(`{"streams":[{"name":"a","reason":${deep},"owns":["a.ts"]}]}`);
    expect(read).toMatchObject({ proposal: { streams: [{ name: 'a', owns: ['a.ts'] }] } });
    expect(problemsOf(`{"streams":[{"plan":${deep}}]}`)).toEqual([
      '`plan` of stream 1 is no text.',
    ]);
  });

  it('never takes a field from a prototype', () => {
    const given = JSON.parse('{"__proto__": {"streams": [{}]}}') as unknown;
    expect(problemsOf(given)).toEqual([expect.stringContaining('missing')]);
    expect(problemsOf(Object.create({ streams: [stream] }))).toHaveLength(1);
  });

  it('has texts that a manifest can hold', () => {
    const read = readProposal({
      feature: 'a\u2028b\u0000c',
      streams: [{ ...stream, name: 'x\n'.repeat(500), plan: 'a\r\nb\u0007\uD800' }],
    });
    expect(read).toMatchObject({
      proposal: { feature: 'a b c', streams: [{ plan: 'a\nb \uFFFD' }] },
    });
    expect(JSON.stringify(read).length).toBeLessThan(500);
  });

  it('with 200 streams that wait for each other and own one folder becomes one stream', () => {
    const ids = Array.from({ length: 200 }, (_, n) => `s${n}`);
    const deps = ids.slice(0, 40);
    const streams = ids.map((id) => ({ id, name: id, plan: id, owns: ['src/'], deps }));
    const read = readProposal({ streams });
    if (read.kind === 'invalid') throw new Error(read.problems.join());
    const composed = compose(read.proposal, aRepository({ files: { 'src/a.ts': [] } }));
    expect(composed).toMatchObject({ plan: { streams: [{ owns: ['src/'] }] } });
  });
});
