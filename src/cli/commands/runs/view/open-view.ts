// The view that was asked for.
import { complain, print, styledNote } from '../../../terminal/output.ts';
import type { Progress } from '../../../terminal/progress.ts';
import { glyphsFor } from '../../../terminal/glyphs.ts';
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
  const now = () => Date.now();
  switch (mode) {
    case 'tty':
      return createLiveView({
        projector,
        terminal: process.stderr,
        glyphs: glyphsFor(env),
        paint: styledNote,
        now,
        keys,
      });
    case 'plain':
      return createPlainView({ projector, write: complain, now });
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
