import { z } from 'zod';
import { stripTerminal } from '../../../domain/prompt/prompt-text.ts';
import { defineTool, failed } from '../tool.ts';
import { SHOWN_BYTES } from '../tool-limits.ts';

const RUN_MS = 600_000;
/** Compilers say the cause first, runners of tests say it last. */
const HEAD_BYTES = SHOWN_BYTES / 4;

export const run = defineTool({
  name: 'run',
  description:
    'Runs one of the commands that the task lists, in the root of the project with your changes, and shows how it ends.',
  shape: z.object({ command: z.string().min(1).describe('Exactly as the task has it') }),
  hasEffects: true,
  argument: ({ command }) => command,
  async run({ command: written }, world) {
    const command = world.commands.find((each) => each.trim() === written.trim());
    if (command === undefined) {
      const list = world.commands.map((each) => `- ${each}`).join('\n');
      const which = list === '' ? 'There are none.' : `These can be run:\n${list}`;
      return failed(`This command is not allowed. ${which}`);
    }
    const answer = await world.bench.ask('run', {
      command,
      timeoutMs: RUN_MS,
      headBytes: HEAD_BYTES,
      tailBytes: SHOWN_BYTES - HEAD_BYTES,
    });
    if (answer.kind === 'failed') return failed(answer.error);
    const { exitCode, signal, isTimedOut, head, tail, dropped } = answer.value;
    const cut = dropped > 0 ? `\n[${dropped} bytes left out]\n` : '';
    const output = stripTerminal(`${head}${cut}${tail}`).trimEnd();
    const end = isTimedOut
      ? `It took longer than ${RUN_MS / 60_000} minutes and was ended.`
      : exitCode === null
        ? `It was ended by ${signal ?? 'a signal'}.`
        : `Exit code ${exitCode}.`;
    return { text: output === '' ? `${end} It printed nothing.` : `${end}\n${output}` };
  },
});
