// millrace pr fix: one round of what the request asks for, pushed and answered.
import {
  beginFix,
  endFix,
  findOpenRound,
  findRun,
  openRequest,
} from '../../../orchestrator/index.ts';
import type { FixAnswers, SaidComment } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { countOf } from '../../terminal/figures.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { checkedBy } from '../runs/checked-outside.ts';
import { continueRound } from '../runs/continue-round.ts';
import { findProject } from '../runs/project.ts';
import { HAS_ENDED, showRound, showSubmitted } from '../runs/review-outcome.ts';
import { knownRequest } from './known-request.ts';
import { showOutcome } from './open.ts';
import { withRequest } from './with-request.ts';
import type { RequestCommand } from './with-request.ts';

export async function fix(options: CommandOptions, [asked]: string[]): Promise<number> {
  const { runId, request } = await knownRequest(await findProject(options), asked);
  return withRequest(options, { runId, remote: request.remote }, (command) =>
    fixOnce(command, { again: commandLine('pr', 'fix', runId), options }),
  );
}

async function fixOnce(
  { project, run, request, stop }: RequestCommand,
  { again, options }: { again: string; options: CommandOptions },
): Promise<number> {
  const { forge, onStep } = request;
  const { runId } = run;
  const review = checkedBy(project, options, stop.signal);
  const begun = await beginFix(project, run, { forge, review, onStep });
  showStrangers(begun.strangers);
  if (begun.kind === 'nothing') {
    if (options['json']) print(JSON.stringify({ kind: 'nothing' }));
    else print('Nothing is asked for, and no check has failed.');
    return EXIT.ok;
  }
  const { submitted } = begun;
  if (submitted?.kind === 'failed') return showSubmitted(submitted, options, stop.exit());
  if (submitted !== undefined) showRound(submitted);
  const open = await findOpenRound(project, run);
  if (open !== undefined) {
    const exit = await continueRound(project.root, open, options);
    if ((await findOpenRound(project, run)) !== undefined || !HAS_ENDED.has(exit)) {
      note(`Go on with: ${again}`);
      return exit === EXIT.ok ? EXIT.failed : exit;
    }
  }
  const outcome = await openRequest(project, await findRun(project.stateDir, runId), request);
  const isPushed = outcome.kind === 'opened' || outcome.kind === 'updated';
  if (!isPushed) {
    const exit = showOutcome(outcome, forge, options);
    note(`Go on with: ${again}`);
    return exit;
  }
  const answers = await endFix(project, runId, { forge, onStep });
  if (options['json']) {
    print(JSON.stringify({ kind: 'fixed', ...answers, ...outcome.request }));
  } else {
    showOutcome(outcome, forge, options);
    showAnswers(answers);
  }
  return answers.left.length > 0 ? EXIT.failed : EXIT.ok;
}

function showStrangers(strangers: readonly SaidComment[]): void {
  if (strangers.length === 0) return;
  const what = countOf(strangers.length, 'comment');
  note(`Left aside, because their authors may not push to the repository: ${what}.`);
  for (const { comment } of strangers) {
    const line = plain(comment.text.replaceAll(/\s+/g, ' ').trim()).slice(0, 120);
    note(`  ${plain(comment.author)}: ${line}`);
  }
}

function showAnswers({ done, left, unsaid }: FixAnswers): void {
  print(`Done: ${done} of ${done + left.length}.`);
  for (const line of left) complain(`  ${plain(line)}`);
  if (unsaid.length > 0) complain('Could not be said over there:');
  for (const line of unsaid) complain(`  ${plain(line)}`);
}
