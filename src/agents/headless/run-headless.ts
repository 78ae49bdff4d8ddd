// A known agent by its own command line: the task on standard input, what it does from standard output.
import { createAgentLog } from '../agent-log.ts';
import { lessUse } from '../add-use.ts';
import type { AgentDriver, AgentEnd, SessionState } from '../agent-run.ts';
import { createJsonLines } from '../json-lines.ts';
import type { KnownAgent } from '../known/known-agents.ts';
import { createLastLines } from '../last-lines.ts';
import { launchAgent } from '../launch.ts';
import { CLAUDE } from './claude.ts';
import { CODEX } from './codex.ts';
import { GEMINI } from './gemini.ts';
import type { HeadlessAgent } from './headless-agent.ts';
import { OPENCODE } from './opencode.ts';

const AGENTS: Readonly<Record<KnownAgent, HeadlessAgent>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
};

export const runHeadless: AgentDriver = async (run) => {
  const { known, name } = run.program;
  if (known === undefined) throw new Error(`${name} has no command line that is known here.`);
  const agent = AGENTS[known];
  const { process, restore } = await launchAgent(run, agent.launch(run));
  const log = createAgentLog(run.events);
  const printed = createLastLines(() => undefined);
  const lines = createJsonLines({
    onValue: agent.read(log),
    onText: (line) => printed.add(`${line}\n`),
    onTooLong: () => log.message('(a line of its output was too long to be read)'),
  });
  process.stdout.on('data', lines.add);
  process.stderr.setEncoding('utf8').on('data', printed.add);
  process.stdin.on('error', () => undefined).end(run.text);
  const ending = await process.ended;
  lines.end();
  await restore();
  if (ending.kind === 'limit') log.failed(ending.text);
  if (ending.kind === 'unstartable') log.failed(ending.message);
  const end = ofThisTask(log.end(), run.session, agent.countsOn);
  if (ending.kind !== 'exited' || ending.exitCode === 0 || end.error !== undefined) return end;
  // It failed, and has not said why in its own format.
  const said = printed.end() ?? end.lastWords ?? 'It said nothing.';
  return { ...end, error: `It ended with exit code ${ending.exitCode}. ${said}` };
};

/** An agent that counts on has said before what is not to be counted again. */
function ofThisTask(
  { used, session, ...end }: AgentEnd,
  before: SessionState | undefined,
  countsOn: HeadlessAgent['countsOn'],
): AgentEnd {
  const said = before?.id === session?.id ? before?.said : undefined;
  const rest = used && said && countsOn ? { used: lessUse(used, said, countsOn) } : { used };
  return {
    ...end,
    ...(rest.used && { used: rest.used }),
    ...(session && { session: { ...session, ...(used && { said: used }) } }),
  };
}
