// millrace pr: pushes the branch of a run, and opens a request for it or brings it up to date.
import { decisiveLines, openRequest } from '../../../orchestrator/index.ts';
import type { RequestOutcome } from '../../../orchestrator/index.ts';
import type { Forge } from '../../../git/forges/forge.ts';
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
    return showOutcome(outcome, request.forge, options);
  });
}

export function showOutcome(
  outcome: RequestOutcome,
  forge: Pick<Forge, 'word' | 'sign'>,
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
      const again = ['run', outcome.file, '--git', `branch=${outcome.branch}`, '--only', stream];
      complain(`Fix it on the branch, or have it done again: ${commandLine(...again)}`);
    }
    return EXIT.failed;
  }
  if (outcome.kind === 'over') return showOver(outcome, forge, options);
  const { kind, request, commits, below } = outcome;
  if (options['json']) print(JSON.stringify({ kind, commits, below, ...request }));
  else {
    const verb = kind === 'opened' ? 'Opened' : 'Updated';
    print(
      `${verb} ${forge.word} ${forge.sign}${request.number} with ${countOf(commits, 'commit')}: ${plain(request.url)}`,
    );
    if (below.length > 0)
      print(`It is on top of ${below.map((one) => `${forge.sign}${one}`).join(', ')}.`);
  }
  return EXIT.ok;
}

function showOver(
  { kind, request: { number, state, url, head } }: RequestOutcome & { kind: 'over' },
  { word, sign }: Pick<Forge, 'word' | 'sign'>,
  options: CommandOptions,
): number {
  const isMerged = state === 'merged';
  if (options['json']) print(JSON.stringify({ kind, number, state, url, head }));
  else if (isMerged) {
    print(
      `The ${word} ${sign}${number} is merged, and ${plain(head)} has nothing new: ${plain(url)}`,
    );
  } else {
    complain(`The ${word} ${sign}${number} was closed, and ${plain(head)} has nothing new.`);
    complain(`To have it again, reopen it: ${plain(url)}`);
  }
  return isMerged ? EXIT.ok : EXIT.failed;
}
