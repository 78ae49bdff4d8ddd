// Projects whose streams the built-in agent works on, and a model that makes the calls that a test writes down.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { RunOptions } from '../../src/orchestrator/run/context.ts';
import type { AgentSetting } from '../../src/orchestrator/run/agent-setting.ts';
import { useScriptedProjects } from '../orchestrator/scripted-projects.ts';
import type { ModelCall, Scripted, ScriptedCall } from '../support/scripted-model.ts';

export { NO_SANDBOX } from '../sandbox/world.ts';

export const call = (name: string, args: object | string = {}): ScriptedCall => ({ name, args });

export const calls = (...made: ScriptedCall[]): Scripted => ({ text: '', calls: made });

export const done = (summary = 'Done') => calls(call('done', { summary }));

/** One answer a turn of each stream, whatever it is asked; the last one again and again. */
export function turns(...answers: Scripted[]): (asked: ModelCall) => Scripted {
  return ({ messages }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    return answers[Math.min(turn, answers.length - 1)]!;
  };
}

const textOf = (content: ModelCall['messages'][number]['content']) =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');

/** What the tools answered, in order, as the model was shown it. */
export const shown = ({ messages }: ModelCall): string[] =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));

export const said = ({ messages }: ModelCall): string[] =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content));

export function useLoop() {
  const projects = useScriptedProjects();
  let home: string;
  beforeAll(() => {
    home = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-loop-')));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const agents = (more: Partial<AgentSetting> = {}): AgentSetting => ({
    programs: new Map(),
    place: { stateHome: join(home, 'state'), home },
    ...more,
  });
  return {
    ...projects,
    home: () => home,
    agents,
    options: (more: Partial<RunOptions> = {}): Partial<RunOptions> => ({
      agents: agents(),
      ...more,
    }),
    /** A stream of the agent. */
    stream: (more: object = {}) => ({ name: 'a', owns: ['src/'], agent: 'loop', ...more }),
  };
}
