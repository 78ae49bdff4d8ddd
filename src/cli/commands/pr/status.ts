// millrace pr status
import { ForgeError } from '../../../git/forges/forge.ts';
import type { Check } from '../../../git/forges/forge.ts';
import { programsOfRepository } from '../../../git/programs.ts';
import { idOfComment, listComments } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { printTable } from '../../terminal/print-table.ts';
import type { Column } from '../../terminal/table.ts';
import { findProject } from '../runs/project.ts';
import { ensureTrusted } from '../runs/trust-commands.ts';
import { printComments } from './comment-table.ts';
import { findForge, toCommandError } from './find-forge.ts';
import { knownRequest } from './known-request.ts';

const COLUMNS: Column<Check>[] = [
  { head: 'CHECK', text: ({ name }) => plain(name), isFlexible: true },
  { head: 'STATE', text: ({ state }) => state },
];

export async function status(options: CommandOptions, [asked]: string[]): Promise<number> {
  const project = await findProject(options);
  const { runId, request: known } = await knownRequest(project, asked);
  const programs = await programsOfRepository(project.root, ['push']);
  await ensureTrusted({ commands: [], programs }, project.root, options);
  const signal = AbortSignal.timeout(120_000);
  try {
    const { forge } = await findForge(project, { ...options, remote: known.remote }, signal);
    const request = await forge.get(known.number);
    const checks = await forge.checks(request.commit);
    const isHandled = new Set(known.handled);
    const said = request.state === 'open' ? await listComments(forge, [request]) : [];
    const comments = said.filter(
      ({ number, comment }) => !isHandled.has(idOfComment(number, comment)),
    );
    const hasFailed = checks.some(({ state }) => state === 'failed');
    if (options['json']) print(JSON.stringify({ ...request, checks, comments }));
    else {
      const draft = request.isDraft ? ', draft' : '';
      print(`${forge.sign}${request.number} ${plain(request.title)} (${request.state}${draft})`);
      print(`${plain(request.head)} to ${plain(request.base)}: ${plain(request.url)}`);
      if (checks.length > 0) printTable(COLUMNS, checks);
      printComments(comments);
      const isAsked = hasFailed || comments.some(({ mayWrite }) => mayWrite);
      if (isAsked && request.state === 'open') {
        note(`Have it done with: ${commandLine('pr', 'fix', runId)}`);
      }
    }
    return hasFailed ? EXIT.failed : EXIT.ok;
  } catch (error) {
    throw error instanceof ForgeError ? toCommandError(error) : error;
  }
}
