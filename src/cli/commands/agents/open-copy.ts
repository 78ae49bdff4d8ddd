// millrace agents open: the folder with what an agent wrote.
import { findRun, openAgentCopy } from '../../../orchestrator/index.ts';
import type { OpenedCopy } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findProject } from '../runs/project.ts';
import { withHints } from '../runs/hints.ts';
import { removeLine } from '../runs/kept-copies.ts';

const STATES: Readonly<Record<OpenedCopy['state'], string>> = {
  running: 'as it is now; the agent is at work',
  failed: 'as it was when the attempt failed',
  stopped: 'as it was when the attempt was stopped',
  interrupted: 'as it was when the run was cut off',
};

function about({ stream, attempt, state }: OpenedCopy): string {
  return `The copy of ${plain(stream)}, attempt ${attempt}, ${STATES[state]}. git diff there shows the changes; installed packages are left out. An agent wrote it: read it before you run anything in it.`;
}

async function open(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const project = await findProject(options);
  const named = options['run'];
  const run = await findRun(project.stateDir, typeof named === 'string' ? named : undefined);
  const opened = await openAgentCopy(project, run, asked, { keep: options['keep'] === true });
  const { folder, isKept, stream, runId } = opened;
  if (options['json']) {
    print(JSON.stringify(opened));
    return EXIT.ok;
  }
  note(about(opened));
  if (isKept) note(removeLine(folder));
  else {
    const keep = commandLine('agents', 'open', stream, '--run', runId, '--keep');
    note(`It is gone when the run ends. To keep it: ${keep}`);
  }
  print(folder);
  return EXIT.ok;
}

export const openCopy = withHints(open);
