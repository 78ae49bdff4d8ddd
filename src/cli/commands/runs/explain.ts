// millrace explain: why a run failed, in at most five lines.
import { explainRun, findRun, projectionOf, stateOfRun } from '../../../orchestrator/index.ts';
import type { Explanation, FailureExplanation } from '../../../orchestrator/index.ts';
import { resumeWords } from '../../../domain/run/resume-words.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { countOf } from '../../terminal/figures.ts';
import { print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { clip } from '../../terminal/text-width.ts';
import { findProject } from './project.ts';

/** What a person can do about it; most failures are a matter of what was asked, and of what. */
const ADVICE: Partial<Record<string, string>> = {
  'cut-off': 'raise its maxTokens or split it',
  'missing-dependency': 'install what is missing',
  infrastructure: 'wait until that is over',
  refused: 'remove what blocks it',
  setup: 'fix its setup',
  timeout: 'raise its timeoutMs or split it',
};
const ADVICE_ELSE = 'fix its plan or its files';

const WIDTH = 160;
const OUTPUT_WIDTH = 100;

/** The explanation in words; the same for people and in the JSON document. */
export interface ExplanationText {
  what: string;
  stream?: string;
  command?: string;
  output: string[];
  tried?: string;
  /** Which models completed how many streams. */
  models?: string;
  next: string;
}

function whatWasTried({ fixes, blocked, alsoFailed }: FailureExplanation): string {
  const each = fixes.map(({ id, status, model }) =>
    model === undefined ? `${id} (${status})` : `${id} (${status}, ${model})`,
  );
  const tried = each.join(', ') || 'no fix';
  const parts = [`Tried: ${tried}.`];
  if (blocked.length > 0) parts.push(`Blocked by it: ${blocked.join(', ')}.`);
  if (alsoFailed.length > 0) parts.push(`Failed as well: ${alsoFailed.join(', ')}.`);
  return clip(plain(parts.join(' ')), WIDTH);
}

function modelsText(passed: Explanation['passed']): { models?: string } {
  if (passed.length === 0) return {};
  const each = passed.map(({ model, streams }) => `${model} ${streams}`).join(', ');
  return { models: clip(plain(`Completed by: ${each}.`), WIDTH) };
}

export function describeExplanation(explanation: Explanation): ExplanationText {
  const { runId, file, args, status, failure } = explanation;
  const again = commandLine(...resumeWords({ file, args }));
  const models = modelsText(explanation.passed);
  if (failure === undefined) {
    const reason = explanation.reason === undefined ? '.' : `: ${plain(explanation.reason)}`;
    const [what, next] = {
      complete: [`${runId} is complete: nothing failed.`, commandLine('diff', runId)],
      running: [`${runId} is still running.`, commandLine('watch', runId)],
      paused: [`${runId} is paused${reason}`, again],
      cancelled: [`${runId} was stopped before it finished.`, again],
      interrupted: [`${runId} was interrupted: its process is gone.`, again],
      failed: [`${runId} failed${reason}`, again],
    }[status] as [string, string];
    return { what: clip(what, WIDTH), output: [], ...models, next };
  }
  const { stream, attempts, command, error } = failure;
  const after = attempts > 1 ? ` after ${countOf(attempts, 'attempt')}` : '';
  const why = command
    ? `${plain(command.command)} ${command.outcome}`
    : plain(error ?? 'the reason is not known');
  const advice = ADVICE[failure.class ?? ''] ?? ADVICE_ELSE;
  return {
    what: clip(`${plain(stream)} failed${after}: ${why}`, WIDTH),
    stream,
    ...(command && { command: command.command }),
    output: failure.output.map((line) => clip(line, OUTPUT_WIDTH)),
    tried: whatWasTried(failure),
    next: `Next: ${commandLine('logs', runId, stream)}; ${advice}; then: ${again}`,
  };
}

export async function explain(options: CommandOptions, args: string[]): Promise<number> {
  const { stateDir } = await findProject(options);
  const run = await findRun(stateDir, args[0]);
  const explanation = explainRun(projectionOf(run.events), stateOfRun(stateDir, run));
  const text = describeExplanation(explanation);
  if (options['json']) {
    const { runId, status } = explanation;
    print(JSON.stringify({ runId, status, ...text }));
    return EXIT.ok;
  }
  print(styled('bold', text.what));
  for (const line of text.output) print(`  ${styled('red', plain(line))}`);
  if (text.tried !== undefined) print(text.tried);
  if (text.models !== undefined) print(text.models);
  print(text.tried === undefined ? `Next: ${text.next}` : text.next);
  return EXIT.ok;
}
