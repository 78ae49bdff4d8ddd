// The view without redrawing: a line for each change.
import type { Execution } from '../../../../client/index.ts';
import { countOf, showElapsed, showTokens } from '../../../terminal/figures.ts';
import { plain } from '../../../terminal/plain-text.ts';
import type { ExecutionView } from './execution-view.ts';

export function createPlainView(options: {
  write(line: string): void;
  now(): number;
}): ExecutionView {
  const { write, now } = options;
  const startedAt = now();
  const shown = new Map<number, string>();
  let isPlanned = false;

  const put = (text: string) => write(`${showElapsed(now() - startedAt).padStart(7)}  ${text}`);

  return {
    show({ steps, progress, dryRun }: Execution) {
      // The steps of a dry run are not run: they are shown as a plan, at the end.
      if (dryRun) return;
      if (!isPlanned && steps.length > 0) {
        isPlanned = true;
        const waves = new Set(steps.map(({ wave }) => wave)).size;
        put(`planned    ${countOf(steps.length, 'step')} in ${countOf(waves, 'wave')}`);
      }
      for (const { index, status, streamId, name, durationMs, tokensUsed, wave } of steps) {
        if (status === 'pending' || shown.get(index) === status) continue;
        const was = shown.get(index);
        shown.set(index, status);
        const step = `${plain(name)} (${plain(streamId)})`;
        if (status === 'in_progress') {
          put(`running    ${step}  wave ${wave}`);
          continue;
        }
        // Cancelled or failed elsewhere before it began: the end says enough.
        if (status !== 'complete' && was === undefined) continue;
        const count = `[${progress.current}/${progress.total}] `;
        const figures = `${showTokens(tokensUsed)} tok  ${showElapsed(durationMs ?? 0)}`;
        put(`${status.padEnd(10)} ${status === 'complete' ? count : ''}${step}  ${figures}`);
      }
    },
    close() {},
  };
}
