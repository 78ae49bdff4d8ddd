// millrace logs
import { findTarget, followRun, isRunEnd } from '../../../orchestrator/index.ts';
import type { RunEvent } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print, styled } from '../../terminal/output.ts';
import { harmless } from '../../terminal/diff-colours.ts';
import { listenForLeaving } from '../../terminal/leave-keys.ts';
import { findProject } from './project.ts';
import { plainLine } from './view/plain-line.ts';
import { stripStyles } from '../../terminal/text-width.ts';

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
  const project = await findProject(options);
  const { run, stream } = await findTarget(project.stateDir, args);
  const named = stream?.ids;
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
    for await (const event of followRun(project, run, keys.signal)) {
      show(event);
      hasEnded = isRunEnd(event);
    }
  } finally {
    keys.close();
  }
  return keys.isInterrupted() && !hasEnded ? EXIT.interrupted : EXIT.ok;
}
