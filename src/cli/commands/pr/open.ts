// millrace pr: pushes the branch of a run, and opens a request for it or brings it up to date.
import { decisiveLines, openRequest } from '../../../orchestrator/index.ts';
import type { RequestOutcome } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { countOf } from '../../terminal/figures.ts';
import { complain, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { withRequest } from './with-request.ts';

const MOST_OUTPUT = 8;

export function open(options: CommandOptions, [runId]: string[]): Promise<number> {
  return withRequest(options, { runId }, async ({ project, run, request }) => {
    const outcome = await openRequest(project, run, request);
    return showOutcome(outcome, request.forge.word, options);
  });
}

export function showOutcome(
  outcome: RequestOutcome,
  word: string,
  options: CommandOptions,
): number {
  if (outcome.kind === 'denied') {
    if (options['json']) print(JSON.stringify(outcome));
    else complain(`Nothing was pushed: ${plain(outcome.why)}`);
    return EXIT.failed;
  }
  if (outcome.kind === 'check_failed') {
    const { stream, error, output } = outcome.failed;
    if (options['json']) print(JSON.stringify(outcome));
    else {
      complain(`Nothing was pushed: ${plain(stream)} fails its check: ${plain(error)}`);
      for (const line of decisiveLines(output, MOST_OUTPUT)) complain(`  ${plain(line)}`);
      complain(
        `Fix it on the branch, or have it done: ${commandLine('run', '--git', 'branch=NAME')}`,
      );
    }
    return EXIT.failed;
  }
  const { kind, request, commits, below } = outcome;
  if (options['json']) print(JSON.stringify({ kind, commits, below, ...request }));
  else {
    const verb = kind === 'opened' ? 'Opened' : 'Updated';
    print(
      `${verb} ${word} #${request.number} with ${countOf(commits, 'commit')}: ${plain(request.url)}`,
    );
    if (below.length > 0) print(`It is on top of ${below.map((one) => `#${one}`).join(', ')}.`);
  }
  return EXIT.ok;
}
