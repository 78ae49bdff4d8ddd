// millrace watch
import { findLockHolder } from '../../orchestrator/state/lock.ts';
import { stateDirOf } from '../../orchestrator/state/run-folder.ts';
import type { CommandOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { note, print, styled } from '../output.ts';
import { progressOf } from '../progress.ts';
import { findRun } from './find-run.ts';
import { followJournal } from './follow-journal.ts';
import { listenForLeaving } from './leave-keys.ts';
import { findProject } from './project.ts';
import { glyphsFor } from './view/glyphs.ts';
import { openView } from './view/open-view.ts';
import { createPicture } from './view/picture.ts';
import { showSummary } from './view/summary.ts';

export async function watch(options: CommandOptions, args: string[]): Promise<number> {
  const { root } = await findProject(options);
  const { runId, journal } = await findRun(root, args[0]);
  const keeper = createPicture();
  const mode = progressOf(options, process.stderr, process.env);
  const view = openView(mode, keeper, 'q leaves, the run goes on', process.env);
  const keys = listenForLeaving(process.stdin);
  try {
    const isAlive = () => findLockHolder(stateDirOf(root)) !== undefined;
    for await (const event of followJournal(journal, { signal: keys.signal, isAlive })) {
      view.follow(event);
    }
  } finally {
    keys.close();
    view.close();
  }
  const { picture } = keeper;
  const { end } = picture;
  if (keys.signal.aborted && !end) {
    note(`The run goes on. Look again with: millrace watch ${runId}`);
    return keys.isInterrupted() ? EXIT.interrupted : EXIT.ok;
  }
  if (end === undefined) {
    note(`The process of ${runId} is gone. Go on with: millrace run ${picture.file}`);
    return EXIT.failed;
  }
  if (mode !== 'json') {
    const look = { glyphs: glyphsFor(process.env), paint: styled, isKept: false };
    const text = showSummary(picture, end, { ...look, again: `millrace run ${picture.file}` });
    print(options['json'] ? JSON.stringify(end) : text);
  }
  return end.type === 'run.completed' ? EXIT.ok : EXIT.failed;
}
