// millrace pr status
import { ForgeError } from '../../../git/forges/forge.ts';
import type { Check } from '../../../git/forges/forge.ts';
import { programsOfRepository } from '../../../git/programs.ts';
import { findRun, manifestOnBranch, readRequest } from '../../../orchestrator/index.ts';
import { CommandError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { printTable } from '../../terminal/print-table.ts';
import type { Column } from '../../terminal/table.ts';
import { findProject } from '../runs/project.ts';
import { ensureTrusted } from '../runs/trust-commands.ts';
import { findForge, toCommandError } from './find-forge.ts';

export async function status(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const run = await findRun(project.stateDir, args[0]);
  const { record } = await manifestOnBranch(project, run);
  const known = await readRequest(project.stateDir, record.origin);
  if (known?.number == null) {
    throw new CommandError({
      code: 'NO_REQUEST',
      message: `There is no pull request for ${plain(record.branch)} yet.`,
      hint: `Open one with: ${commandLine('pr', run.runId)}`,
    });
  }
  const programs = await programsOfRepository(project.root, ['push']);
  await ensureTrusted({ commands: programs }, project.root, options);
  const signal = AbortSignal.timeout(120_000);
  try {
    const { forge } = await findForge(project, { ...options, remote: known.remote }, signal);
    const request = await forge.get(known.number);
    const checks = await forge.checks(request.commit);
    if (options['json']) print(JSON.stringify({ ...request, checks }));
    else {
      const draft = request.isDraft ? ', draft' : '';
      print(`#${request.number} ${plain(request.title)} (${request.state}${draft})`);
      print(`${plain(request.head)} to ${plain(request.base)}: ${plain(request.url)}`);
      const columns: Column<Check>[] = [
        { head: 'CHECK', text: ({ name }) => plain(name), isFlexible: true },
        { head: 'STATE', text: ({ state }) => state },
      ];
      if (checks.length > 0) printTable(columns, checks);
    }
    return checks.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.ok;
  } catch (error) {
    throw error instanceof ForgeError ? toCommandError(error) : error;
  }
}
