// The view that was asked for.
import { liveOptionsOf } from '../../../terminal/live-options.ts';
import { note } from '../../../terminal/output.ts';
import type { Progress } from '../../../terminal/progress.ts';
import type { ExecutionView } from './execution-view.ts';
import { createLiveView } from './live-view.ts';
import { createPlainView } from './plain-view.ts';

export function openView(mode: Progress, keys: string, env: NodeJS.ProcessEnv): ExecutionView {
  switch (mode) {
    case 'tty':
      return createLiveView(liveOptionsOf(keys, env));
    case 'plain':
      return createPlainView({ write: note, now: () => Date.now() });
    case 'json':
    case 'quiet':
      return { show() {}, close() {} };
  }
}
