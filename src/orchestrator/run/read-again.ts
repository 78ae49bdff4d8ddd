// A manifest that somebody edits while it is run.
import { parseManifest } from '../../manifest/text/parse.ts';
import type { RunEvent, RunEventBody } from '../../contract/run-events.ts';
import type { Scheduler, StatusChange } from '../../domain/run/scheduler.ts';
import { toTask } from './task.ts';
import type { ModelDefaults, RunTask } from './task.ts';

interface Edited {
  file: string;
  defaults: ModelDefaults;
  tasks: Map<string, RunTask>;
  scheduler: Scheduler;
  /** What the user agreed to run: an edit adds nothing to it. */
  commands: ReadonlySet<string>;
  emit(event: RunEventBody): RunEvent;
}

function commandsOfTask({ setup, verify, commands }: RunTask): string[] {
  return [...setup, ...verify, ...commands.map(({ command }) => command)];
}

/**
 * The manifest was edited meanwhile: streams that have not started are run as it says now. Returns
 * what became of streams that are no longer in it.
 */
export function readAgain(text: string, run: Edited): StatusChange[] {
  const { file, defaults, tasks, scheduler, commands, emit } = run;
  const note = (level: 'info' | 'warning', message: string) =>
    void emit({ type: 'run.note', level, code: 'MANIFEST_EDITED', message });
  const parsed = parseManifest(text, { file });
  if (parsed.kind === 'invalid') {
    const why = parsed.problems[0]?.message ?? '';
    note('warning', `The changed manifest is not valid (${why}); streams run as it said before.`);
    return [];
  }
  const { streams } = parsed.manifest;
  const added: string[] = [];
  const unapproved: string[] = [];
  for (const stream of streams.values()) {
    if (!tasks.has(stream.id)) added.push(stream.id);
    else if (scheduler.stream(stream.id).attempts === 0) {
      const task = toTask(parsed.manifest, stream, defaults);
      if (commandsOfTask(task).every((command) => commands.has(command))) {
        tasks.set(stream.id, task);
      } else unapproved.push(stream.id);
    }
  }
  const changes: StatusChange[] = [];
  const removed: string[] = [];
  for (const [id, task] of tasks) {
    if (streams.has(id) || task.root !== undefined) continue;
    const { status, attempts } = scheduler.stream(id);
    if (status !== 'pending' || attempts > 0) continue;
    removed.push(id);
    changes.push(...scheduler.skip(id));
  }
  const parts = ['The manifest was edited; what has not started runs as it says now.'];
  if (added.length > 0) parts.push(`New streams run next time: ${added.join(', ')}.`);
  if (removed.length > 0) parts.push(`No longer in it, and not run: ${removed.join(', ')}.`);
  note('info', parts.join(' '));
  if (unapproved.length > 0) {
    note(
      'warning',
      `These have commands now that nobody has approved, and run as before: ${unapproved.join(', ')}.`,
    );
  }
  return changes;
}
