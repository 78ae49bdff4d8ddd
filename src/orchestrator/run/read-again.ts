// A manifest that is edited while it runs.
import { parseManifest } from '../../manifest/text/parse.ts';
import type { RunContext } from './context.ts';
import { toTask } from './task.ts';
import type { RunTask } from './task.ts';

function commandsOfTask({ setup, verify, commands }: RunTask): string[] {
  return [...setup, ...verify, ...commands.map(({ command }) => command)];
}

/** The manifest was edited meanwhile: streams that have not started are run as it says now. */
export function readAgain(context: RunContext, text: string): void {
  const { file, options, tasks, scheduler, commands, emit } = context;
  const note = (level: 'info' | 'warning', message: string) =>
    void emit({ type: 'run.note', level, code: 'MANIFEST_EDITED', message });
  const parsed = parseManifest(text, { file });
  if (parsed.kind === 'invalid') {
    const why = parsed.problems[0]?.message ?? '';
    note(
      'warning',
      `The changed manifest is not valid (${why}); streams keep using the previous version.`,
    );
    return;
  }
  const { streams } = parsed.manifest;
  const added: string[] = [];
  const unapproved: string[] = [];
  for (const stream of streams.values()) {
    if (!tasks.has(stream.id)) added.push(stream.id);
    else if (scheduler.stream(stream.id).attempts === 0) {
      const task = toTask(parsed.manifest, stream, options);
      if (commandsOfTask(task).every((command) => commands.has(command))) {
        tasks.set(stream.id, task);
      } else unapproved.push(stream.id);
    }
  }
  const removed: string[] = [];
  for (const [id, task] of tasks) {
    if (streams.has(id) || task.root !== undefined) continue;
    const { status, attempts } = scheduler.stream(id);
    if (status !== 'pending' || attempts > 0) continue;
    removed.push(id);
    for (const change of scheduler.skip(id)) {
      emit({ type: 'stream.status', stream: change.id, ...change });
    }
  }
  const parts = ['The manifest was edited; streams that have not started use the new version.'];
  if (added.length > 0) parts.push(`New streams start with the next run: ${added.join(', ')}.`);
  if (removed.length > 0) parts.push(`Removed and not run: ${removed.join(', ')}.`);
  note('info', parts.join(' '));
  if (unapproved.length > 0) {
    note(
      'warning',
      `These streams have new commands that are not approved; they run with the old ones: ${unapproved.join(', ')}.`,
    );
  }
}
