// millrace logs
import { isRunEnd } from '../../../domain/run/events.ts';
import type { RunEvent } from '../../../domain/run/events.ts';
import { nearestName } from '../../../manifest/text/nearest.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { print, styled } from '../../terminal/output.ts';
import { harmless } from '../../terminal/diff-colours.ts';
import { findRun, isAtWork, splitArguments } from './find-run.ts';
import type { FoundRun } from './find-run.ts';
import { followJournal } from './follow-journal.ts';
import { listenForLeaving } from '../../terminal/leave-keys.ts';
import { findProject } from './project.ts';
import { plainLine } from './view/plain-line.ts';
import { stripStyles } from '../../terminal/text-width.ts';

/** The stream and the fixes that were made for it. */
export function streamsNamed({ runId, events }: FoundRun, stream: string): Set<string> {
  const known = new Set<string>();
  const named = new Set([stream]);
  for (const event of events) {
    if (event.type === 'run.started') for (const { id } of event.streams) known.add(id);
    if (event.type !== 'stream.fix') continue;
    known.add(event.fix);
    if (event.stream === stream) named.add(event.fix);
  }
  if (known.has(stream)) return named;
  const nearest = nearestName(stream, known);
  const all = [...known].slice(0, 20).join(', ');
  throw new CommandError({
    code: 'UNKNOWN_STREAM',
    message: `There is no stream "${stream}" in ${runId}.`,
    hint: nearest === undefined ? `Streams: ${all}` : `Did you mean ${nearest}?`,
  });
}

function isAbout(event: RunEvent, named: Set<string> | undefined): boolean {
  if (named === undefined) return true;
  if (event.type === 'run.note') return event.about === undefined || named.has(event.about);
  if (!('stream' in event)) return true;
  // Fixes may come while we look.
  if (event.type === 'stream.fix' && named.has(event.stream)) named.add(event.fix);
  return named.has(event.stream);
}

function showEvent(event: RunEvent): void {
  const text = plainLine(event);
  if (text === undefined) return;
  print(`${styled('dim', event.ts)}  ${text}`);
  if (event.type !== 'command.finished' || !event.output) return;
  for (const line of harmless(stripStyles(event.output)).trimEnd().split('\n')) {
    print(`    ${styled('dim', '|')} ${line}`);
  }
}

export async function logs(options: CommandOptions, args: string[]): Promise<number> {
  const { stateDir } = await findProject(options);
  const asked = splitArguments(args);
  const run = await findRun(stateDir, asked.run);
  const named = asked.stream === undefined ? undefined : streamsNamed(run, asked.stream);
  const isJson = options['json'] === true || options['progress'] === 'json';
  const show = (event: RunEvent) => {
    if (!isAbout(event, named)) return;
    if (isJson) print(JSON.stringify(event));
    else showEvent(event);
  };
  if (!options['follow']) {
    run.events.forEach(show);
    return EXIT.ok;
  }
  const keys = listenForLeaving(process.stdin);
  let hasEnded = false;
  try {
    const isAlive = () => isAtWork(stateDir, run.runId);
    for await (const event of followJournal(run.journal, { signal: keys.signal, isAlive })) {
      show(event);
      hasEnded = isRunEnd(event);
    }
  } finally {
    keys.close();
  }
  return keys.isInterrupted() && !hasEnded ? EXIT.interrupted : EXIT.ok;
}
