// millrace stop
import { projectionOf, stopRun } from '../../../orchestrator/index.ts';
import type { RunState } from '../../../orchestrator/index.ts';
import { resumeWords } from '../../../domain/run/resume-words.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import { findProject } from './project.ts';

/** It may have come to its end by itself meanwhile. */
const WORDS: Record<RunState, string> = {
  running: 'is still running',
  complete: 'finished before it could be stopped',
  failed: 'failed before it could be stopped',
  paused: 'paused before it could be stopped',
  cancelled: 'stopped',
  interrupted: 'was killed',
};
const RESUMABLE: ReadonlySet<RunState> = new Set(['cancelled', 'interrupted', 'paused', 'failed']);

export async function stop(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const force = options['force'] === true;
  const { run, state } = await stopRun(project, args[0], {
    force,
    // Giving up waiting ends this command, not the run.
    signal: new AbortController().signal,
    onStopping(pid) {
      if (!force) note(`Stopping (process ${pid})... use --force to kill it.`);
    },
  });
  if (options['json']) {
    print(JSON.stringify({ runId: run?.runId ?? null, status: state ?? null, forced: force }));
    return EXIT.ok;
  }
  if (run === undefined || state === undefined) {
    print('Stopped a run that was starting.');
    return EXIT.ok;
  }
  print(`${run.runId} ${WORDS[state]}.`);
  if (RESUMABLE.has(state)) {
    note(`Resume it with: ${commandLine(...resumeWords(projectionOf(run.events)))}`);
  }
  return EXIT.ok;
}
