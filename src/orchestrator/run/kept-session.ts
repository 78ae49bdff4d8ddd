// Whether the next attempt at a stream continues the session of an agent, and where the session is meanwhile. Only the
// attempt that follows continues it, by the same program and model: another one would read files that are not its own.
import { statSync } from 'node:fs';
import type { AgentProgram } from '../../agents/agent-program.ts';
import type { SessionKeeper } from '../../agents/session.ts';
import { HomeBoundError, copyHome } from '../../sandbox/copy/copy-home.ts';
import type { HomeBounds } from '../../sandbox/copy/copy-home.ts';
import { readSession, writeSession } from '../state/session-record.ts';
import type { SessionRecord } from '../state/session-record.ts';
import type { Attempt, RunContext } from './context.ts';

function programOf({ name, protocol, command, version, login }: AgentProgram) {
  const changedAt = statSync(command[0], { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const about = { version: version ?? null, changedAt, hasOwnLogin: login !== undefined };
  return { name, protocol, command: [...command], ...about };
}

export function createKeptSession(
  context: Pick<RunContext, 'stateDir' | 'runId'>,
  { task, fix }: Pick<Attempt, 'task' | 'fix'>,
  about: { program: AgentProgram; model: string; note(message: string): void; bounds?: HomeBounds },
): SessionKeeper {
  const { model, note, bounds } = about;
  const program = programOf(about.program);
  const round = fix?.attempt ?? 1;

  function whyNot(record: SessionRecord): string | undefined {
    if (record.program.name !== program.name) return 'Another agent works on the stream now.';
    if (JSON.stringify(record.program) !== JSON.stringify(program))
      return 'The agent has changed since: another program, version or login.';
    return record.model === model ? undefined : `The model is ${model} now.`;
  }

  return {
    async take(home) {
      try {
        const kept = await readSession(context, task);
        // Without what went wrong, or with something in between, the task has to be read again.
        if (kept === undefined || fix === undefined || kept.record.round !== round - 1) return;
        const why = whyNot(kept.record);
        if (why !== undefined) return { why };
        await copyHome(kept.home, home.path);
        return kept.record.session;
      } catch (error) {
        return { why: `What is kept of it cannot be read: ${(error as Error).message}` };
      }
    },
    async keep(session, home, secrets) {
      const record = { session, round, model, program };
      try {
        await writeSession(context, task, record, (folder) =>
          copyHome(home.path, folder, { secrets, ...(bounds && { bounds }) }),
        );
      } catch (error) {
        // Another attempt can do without it.
        const why =
          error instanceof HomeBoundError
            ? `its home has ${error.message}`
            : (error as Error).message;
        note(`Its session is not kept for another attempt: ${why}.`);
      }
    },
  };
}
