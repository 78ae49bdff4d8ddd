// The view that was asked for.
import { glyphsFor } from '../../../terminal/glyphs.ts';
import { note, styledNote } from '../../../terminal/output.ts';
import type { Progress } from '../../../terminal/progress.ts';
import type { ExecutionView } from './execution-view.ts';
import { createLiveView } from './live-view.ts';
import { createPlainView } from './plain-view.ts';

export function openView(mode: Progress, keys: string, env: NodeJS.ProcessEnv): ExecutionView {
  const now = () => Date.now();
  switch (mode) {
    case 'tty':
      return createLiveView({
        terminal: process.stderr,
        glyphs: glyphsFor(env),
        paint: styledNote,
        now,
        keys,
      });
    case 'plain':
      return createPlainView({ write: note, now });
    case 'json':
    case 'quiet':
      return { show() {}, close() {} };
  }
}
