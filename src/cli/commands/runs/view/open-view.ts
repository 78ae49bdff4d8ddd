// The view that was asked for.
import { complain, print } from '../../../terminal/output.ts';
import type { Progress } from '../../../terminal/progress.ts';
import { liveOptionsOf } from '../../../terminal/live-options.ts';
import { createJsonView } from './json-view.ts';
import { createLiveView } from './live-view.ts';
import type { Projector } from '../../../../domain/run/projection.ts';
import { createPlainView } from './plain-view.ts';
import type { RunView } from './run-view.ts';

export function openView(
  mode: Progress,
  projector: Projector,
  keys: string,
  env: NodeJS.ProcessEnv,
): RunView {
  switch (mode) {
    case 'tty':
      return createLiveView({ projector, ...liveOptionsOf(keys, env) });
    case 'plain':
      return createPlainView({ projector, write: complain, now: () => Date.now() });
    case 'json':
      return createJsonView({ projector, write: print });
    case 'quiet':
      return {
        follow: (event) => projector.follow(event),
        say() {},
        hold() {},
        resume() {},
        close() {},
      };
  }
}
