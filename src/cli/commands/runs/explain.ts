// millrace explain: why a run failed, in at most five lines.
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { decisiveLines } from './decisive-lines.ts';
import { findRun, stateOfRun } from './find-run.ts';
import type { RunState } from './find-run.ts';
import { projectionOf } from '../../../domain/run/projection.ts';
import { findProject } from './project.ts';
import { countOf } from '../../terminal/figures.ts';
import type { RunProjection, StreamRow } from '../../../domain/run/projection.ts';
import { lastTry } from './view/summary.ts';
import { clip } from '../../terminal/text-width.ts';

export interface Explanation {
  runId: string;
  status: RunState;
  /** What happened, in a sentence. */
  what: string;
  stream?: string;
  command?: string;
  /** Lines of the output that say why. */
  output: string[];
  tried?: string;
  next: string;
}

/** What a person can do about it; most failures are a matter of what was asked, and of what. */
const MENDING: Partial<Record<string, string>> = {
  'cut-off': 'raise its maxTokens or split it',
  'missing-dependency': 'install what is missing',
  infrastructure: 'wait until that is over',
  refused: 'remove what stands in its way',
  setup: 'mend its setup',
  timeout: 'raise its timeoutMs or split it',
};
const MENDING_ELSE = 'mend its plan or its files';

const MOST_OUTPUT = 2;
const WIDTH = 160;

function failedStreams({ streams }: RunProjection): StreamRow[] {
  return [...streams.values()]
    .filter(({ status, fixOf }) => status === 'failed' && fixOf === undefined)
    .sort((a, b) => a.wave - b.wave);
}

function whatWasTried(
  { streams }: RunProjection,
  row: StreamRow,
  others: readonly StreamRow[],
): string {
  const fixes = row.fixes.map((id) => `${id} (${streams.get(id)?.status ?? 'unknown'})`);
  const tried = fixes.length > 0 ? fixes.join(', ') : 'no fix';
  const held = [...streams.values()].filter(
    ({ status, fixOf }) => status === 'blocked' && fixOf === undefined,
  );
  const parts = [`Tried: ${tried}.`];
  if (held.length > 0) parts.push(`Held up by it: ${held.map(({ id }) => id).join(', ')}.`);
  if (others.length > 0) parts.push(`Failed as well: ${others.map(({ id }) => id).join(', ')}.`);
  return clip(plain(parts.join(' ')), WIDTH);
}

function mendingOf({ failureClass }: StreamRow): string {
  return MENDING[failureClass ?? ''] ?? MENDING_ELSE;
}

export function explainRun(projection: RunProjection, status: RunState): Explanation {
  const { runId, file, end } = projection;
  const again = commandLine('run', file);
  const base = { runId, status, output: [] };
  if (status === 'complete') {
    return {
      ...base,
      what: `${runId} is complete: nothing failed.`,
      next: commandLine('diff', runId),
    };
  }
  if (status === 'running') {
    return { ...base, what: `${runId} is still running.`, next: commandLine('watch', runId) };
  }
  const [row, ...others] = failedStreams(projection);
  if (row === undefined) {
    const reason = end && 'reason' in end && end.reason ? `: ${plain(end.reason)}` : '.';
    const why = {
      paused: `${runId} was paused${reason}`,
      cancelled: `${runId} was stopped before its end.`,
      interrupted: `The process of ${runId} ended in the middle of it.`,
      failed: `${runId} failed${reason}`,
    }[status];
    return { ...base, what: clip(why, WIDTH), next: again };
  }
  const last = lastTry(projection, row);
  const { failedCommand, error } = last;
  const attempts = row.fixes.length > 0 ? ` after ${countOf(row.fixes.length + 1, 'attempt')}` : '';
  const why = failedCommand
    ? `${plain(failedCommand.command)} ${failedCommand.outcome}`
    : plain(error ?? 'it is not known why');
  return {
    ...base,
    stream: row.id,
    what: clip(`${plain(row.id)} failed${attempts}: ${why}`, WIDTH),
    ...(failedCommand && { command: failedCommand.command }),
    output: failedCommand ? decisiveLines(failedCommand.output, MOST_OUTPUT) : [],
    tried: whatWasTried(projection, row, others),
    next: `Next: ${commandLine('logs', runId, row.id)}; ${mendingOf(last)}; then: ${again}`,
  };
}

export async function explain(options: CommandOptions, args: string[]): Promise<number> {
  const { stateDir } = await findProject(options);
  const run = await findRun(stateDir, args[0]);
  const explanation = explainRun(projectionOf(run.events), stateOfRun(stateDir, run));
  if (options['json']) {
    print(JSON.stringify(explanation));
    return EXIT.ok;
  }
  const { what, output, tried, next } = explanation;
  print(styled('bold', what));
  for (const line of output) print(`  ${styled('red', plain(line))}`);
  if (tried !== undefined) print(tried);
  print(tried === undefined ? `Next: ${next}` : next);
  return EXIT.ok;
}
