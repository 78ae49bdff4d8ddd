// The events themselves, a line each.
import type { RunView } from './run-view.ts';
import type { Projector } from '../../../../domain/run/projection.ts';

export function createJsonView(options: {
  projector: Projector;
  write(line: string): void;
}): RunView {
  let lastSeq = 0;
  return {
    follow(event) {
      options.projector.follow(event);
      // What is only shown and not kept has no number of its own.
      if (event.seq <= lastSeq) return;
      lastSeq = event.seq;
      options.write(JSON.stringify(event));
    },
    say() {},
    hold() {},
    resume() {},
    close() {},
  };
}
