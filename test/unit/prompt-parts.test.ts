import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usableParts } from '../../src/domain/prompt/prompt-parts.ts';

test('parts that put together give the prompt are used', () => {
  expect(usableParts('abcd', { systemContent: 'ab', taskContent: 'cd' })).toEqual({
    systemContent: 'ab',
    projectContext: '',
    streamContext: '',
    taskContent: 'cd',
  });
});

test('an empty line between the parts is kept at the end of the part before it', () => {
  expect(
    usableParts('a\n\nb\n\nc', { systemContent: 'a', streamContext: 'b', taskContent: 'c' }),
  ).toEqual({
    systemContent: 'a\n\n',
    projectContext: '',
    streamContext: 'b\n\n',
    taskContent: 'c',
  });
});

test.each([
  [undefined],
  [{}],
  [{ systemContent: 'a', taskContent: 'c' }],
  [{ systemContent: 'b', taskContent: 'a' }],
  [{ taskContent: 'ab ' }],
])('%j is dropped', (parts) => {
  expect(usableParts('ab', parts)).toBeUndefined();
});

test('whatever is used adds up to the prompt', () => {
  const texts = fc.array(fc.constantFrom('', 'a', 'b\n', '\n\n', 'ab'), {
    minLength: 4,
    maxLength: 4,
  });
  fc.assert(
    fc.property(texts, fc.constantFrom('', '\n\n', '\n'), (list, separator) => {
      const [systemContent, projectContext, streamContext, taskContent] = list;
      const prompt = list.filter((text) => text !== '').join(separator);
      const used = usableParts(prompt, {
        systemContent,
        projectContext,
        streamContext,
        taskContent,
      });
      if (used !== undefined) expect(Object.values(used).join('')).toBe(prompt);
      else expect(separator).toBe('\n');
    }),
  );
});
