// millrace watch
import { createProjector, findRun, followRun } from '../../../orchestrator/index.ts';
import type { RunProjection } from '../../../orchestrator/index.ts';
import { rerunWords, resumeWords } from '../../../domain/run/resume-words.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { progressOf } from '../../terminal/progress.ts';
import { listenForLeaving } from '../../terminal/leave-keys.ts';
import { findProject } from './project.ts';
import { glyphsFor } from '../../terminal/glyphs.ts';
import { openView } from './view/open-view.ts';
import { showSummary } from './view/summary.ts';

function underWay({ streams }: RunProjection): string {
  const rows = [...streams.values()].filter(({ status }) => status === 'in_progress');
  return rows.map(({ id }) => plain(id)).join(', ');
}

export async function watch(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const run = await findRun(project.stateDir, args[0]);
  const { runId } = run;
  const projector = createProjector();
  const mode = progressOf(options, process.stderr, process.env);
  const view = openView(mode, projector, 'q quits, the run continues', process.env);
  const keys = listenForLeaving(process.stdin);
  try {
    for await (const event of followRun(project, run, keys.signal)) {
      view.follow(event);
    }
    if (!keys.signal.aborted) projector.cutOff();
  } finally {
    keys.close();
    view.close();
  }
  const { projection } = projector;
  const { end } = projection;
  const again = (...selection: string[]) => commandLine(...rerunWords(projection, ...selection));
  const resume = commandLine(...resumeWords(projection));
  if (keys.signal.aborted && !end) {
    note(`The run continues. Watch it again with: ${commandLine('watch', runId)}`);
    return keys.isInterrupted() ? EXIT.interrupted : EXIT.ok;
  }
  if (end === undefined) {
    const names = underWay(projection);
    if (mode === 'plain' && names !== '') note(`Running when the run stopped: ${names}`);
    note(`The process of ${runId} is gone.\nResume with: ${resume}`);
    return EXIT.failed;
  }
  if (mode !== 'json') {
    const look = { glyphs: glyphsFor(process.env), paint: styled, isKept: false };
    const text = showSummary(projection, end, { ...look, again, resume });
    print(options['json'] ? JSON.stringify(end) : text);
  }
  return end.type === 'run.completed' ? EXIT.ok : EXIT.failed;
}
