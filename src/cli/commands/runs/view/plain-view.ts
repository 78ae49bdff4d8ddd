// The view without redrawing: a line for each change, and one now and then while nothing changes,
// so that a reader of a log of a build server sees that it is alive.
import { countOf, showElapsed } from '../../../terminal/figures.ts';
import type { Projector } from '../../../../domain/run/projection.ts';
import { plainLine } from './plain-line.ts';
import type { RunView } from './run-view.ts';
import { plain } from '../../../terminal/plain-text.ts';

const HEARTBEAT_MS = 30_000;
const MOST_NAMES = 5;

export function createPlainView(options: {
  projector: Projector;
  write(line: string): void;
  now(): number;
  heartbeatMs?: number;
}): RunView {
  const { projector, write, now, heartbeatMs = HEARTBEAT_MS } = options;
  const { projection } = projector;
  let timer: NodeJS.Timeout | undefined;

  function put(text: string, at = now()): void {
    timer?.refresh();
    const since = projection.startedAt === 0 ? 0 : at - projection.startedAt;
    write(`${showElapsed(since).padStart(7)}  ${text}`);
  }

  function beat(): void {
    const running = [...projection.streams.values()].filter(
      ({ status }) => status === 'in_progress',
    );
    const names = running.slice(0, MOST_NAMES).map((row) => {
      const elapsed = row.startedAt === undefined ? '' : ` ${showElapsed(now() - row.startedAt)}`;
      return `${plain(row.id)}${elapsed}`;
    });
    if (running.length > MOST_NAMES) names.push(`${running.length - MOST_NAMES} more`);
    put(`running     ${countOf(running.length, 'stream')}: ${names.join(', ')}`);
  }

  return {
    follow(event) {
      projector.follow(event);
      if (event.type === 'run.started') timer ??= setInterval(beat, heartbeatMs);
      const text = plainLine(event);
      if (text !== undefined) put(text, Date.parse(event.ts));
    },
    say: (text) => put(plain(text)),
    hold() {},
    resume() {},
    close: () => clearInterval(timer),
  };
}
