// A program that reads its task from standard input, works in its current folder and ends.
import type { AgentDriver, AgentEnd } from '../agent-run.ts';
import { createLastLines } from '../last-lines.ts';

export const runStdin: AgentDriver = async ({ program, text, start, events }) => {
  const process = await start(program.command);
  const said = createLastLines((line) => events.message(line));
  process.stdout.setEncoding('utf8').on('data', said.add);
  process.stderr.setEncoding('utf8').on('data', said.add);
  process.stdin.end(text);
  const ending = await process.ended;
  const lastWords = said.end();
  const end: AgentEnd = { lastWords };
  if (ending.kind === 'limit') return { ...end, error: ending.text };
  return ending.kind === 'unstartable' ? { ...end, error: ending.message } : end;
};
