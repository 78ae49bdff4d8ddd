import { expect, it } from 'vitest';
import { visibleCommand } from '../../src/cli/terminal/visible-command.ts';

it('shows every line of a command as a line: nothing hides behind a comment', () => {
  expect(visibleCommand('npm test # x\ntouch y')).toEqual(['$ npm test # x', '> touch y']);
});

it('spells out what a terminal would act upon or not show', () => {
  const hidden = 'true \u001b[8m; rm x\u001b[0m \u202etxt\r\t\u200b\u2028';
  expect(visibleCommand(hidden)).toEqual([
    '$ true \u241b[8m; rm x\u241b[0m <U+202E>txt\u240d\u2409<U+200B><U+2028>',
  ]);
});

it('keeps nobody from seeing the end by a long way to it', () => {
  expect(visibleCommand(`true;${' '.repeat(500)}rm x`)).toEqual(['$ true; <500 spaces> rm x']);
  const far = visibleCommand(`true${'\n'.repeat(200)}rm x`);
  expect(far).toEqual(['$ true', '> <199 empty lines>', '> rm x']);
});
