import { expect, it } from 'vitest';
import { answerParts } from '../../web/pages/jobs/answer-parts.ts';

const text = (value: string) => ({ kind: 'text', text: value });
const tool = (name: string, input: string) => ({ kind: 'tool', name, input });

it('calls of tools are taken apart from the text around them', () => {
  expect(
    answerParts('I look.\n[read_file] {"path":"a]}.md","n":[1,{}]}\n[mcp__x-y] {}Done.'),
  ).toEqual([
    text('I look.'),
    tool('read_file', '{"path":"a]}.md","n":[1,{}]}'),
    tool('mcp__x-y', '{}'),
    text('Done.'),
  ]);
  expect(answerParts('\n[Write] {"text":"a \\"} b\\n[Read] {"}')).toEqual([
    tool('Write', '{"text":"a \\"} b\\n[Read] {"}'),
  ]);
});

it('a call that is still written is shown as far as it has come', () => {
  expect(answerParts('\n[Write] ')).toEqual([tool('Write', '')]);
  expect(answerParts('Yes.\n[Write] {"path":"a')).toEqual([
    text('Yes.'),
    tool('Write', '{"path":"a'),
  ]);
  expect(answerParts('')).toEqual([]);
});

it('text in brackets is text', () => {
  for (const each of ['See [1] {x}', '\n[1] is the source', '[ ] {"a":1}', 'a\n[x]{"a":1}']) {
    expect(answerParts(each)).toEqual([text(each)]);
  }
});
