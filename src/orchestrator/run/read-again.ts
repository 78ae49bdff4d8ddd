// A manifest that somebody edits while it is run.
import { parseManifest } from '../../domain/manifest/text/parse.ts';
import type { RunEvent, RunEventBody } from '../../domain/run/events.ts';
import type { Scheduler } from '../../domain/run/scheduler.ts';
import { toTask } from './task.ts';
import type { ModelDefaults, RunTask } from './task.ts';

/** The manifest was edited meanwhile: streams that have not started are run as it says now. */
export function readAgain(
  text: string,
  run: {
    file: string;
    defaults: ModelDefaults;
    tasks: Map<string, RunTask>;
    scheduler: Scheduler;
    emit(event: RunEventBody): RunEvent;
  },
): void {
  const { file, defaults, tasks, scheduler, emit } = run;
  const parsed = parseManifest(text, { file });
  if (parsed.kind === 'invalid') {
    const message = `The changed manifest is not valid (${parsed.problems[0]?.message ?? ''}); streams run as it said before.`;
    emit({ type: 'run.note', level: 'warning', code: 'MANIFEST_EDITED', message });
    return;
  }
  const added: string[] = [];
  for (const stream of parsed.manifest.streams.values()) {
    if (!tasks.has(stream.id)) added.push(stream.id);
    else if (scheduler.stream(stream.id).attempts === 0) {
      tasks.set(stream.id, toTask(parsed.manifest, stream, defaults));
    }
  }
  const later = added.length === 0 ? '' : ` New streams run next time: ${added.join(', ')}.`;
  const message = `The manifest was edited; what has not started runs as it says now.${later}`;
  emit({ type: 'run.note', level: 'info', code: 'MANIFEST_EDITED', message });
}
