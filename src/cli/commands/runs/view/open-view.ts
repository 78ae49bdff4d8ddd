// The view that was asked for.
import { complain, print, styledNote } from '../../../terminal/output.ts';
import type { Progress } from '../../../terminal/progress.ts';
import { glyphsFor } from '../../../terminal/glyphs.ts';
import { createJsonView } from './json-view.ts';
import { createLiveView } from './live-view.ts';
import type { PictureKeeper } from './picture.ts';
import { createPlainView } from './plain-view.ts';
import type { RunView } from './run-view.ts';

export function openView(
  mode: Progress,
  keeper: PictureKeeper,
  keys: string,
  env: NodeJS.ProcessEnv,
): RunView {
  const now = () => Date.now();
  switch (mode) {
    case 'tty':
      return createLiveView({
        keeper,
        terminal: process.stderr,
        glyphs: glyphsFor(env),
        paint: styledNote,
        now,
        keys,
      });
    case 'plain':
      return createPlainView({ keeper, write: complain, now });
    case 'json':
      return createJsonView({ keeper, write: print });
    case 'quiet':
      return {
        follow: (event) => keeper.follow(event),
        say() {},
        hold() {},
        resume() {},
        close() {},
      };
  }
}
