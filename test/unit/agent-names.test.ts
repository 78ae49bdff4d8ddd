import { expect, it } from 'vitest';
import { checkUserFile } from '../../src/cli/settings/settings-files.ts';

const file = (name: string) => `agents: {${name}: {command: [x], protocol: stdin}}`;

it('a person cannot give a program the name of an agent that is built in', () => {
  for (const name of ['loop', 'answer']) {
    expect(() => checkUserFile('c.yaml', file(name))).toThrow(/an agent of Millrace itself/);
  }
  expect(checkUserFile('c.yaml', file('loops')).agents).toHaveProperty('loops');
});

it('a person says what the built-in agent may run in a project', () => {
  const text = 'projects: {/home/me/p: {agentCommands: [npm run lint]}}';
  expect(checkUserFile('c.yaml', text).projects).toEqual({
    '/home/me/p': { agentCommands: ['npm run lint'] },
  });
});
