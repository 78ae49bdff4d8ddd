// The graph of a plan in plain characters. Each stream is a line; one that others wait for has a
// column of its own to the right, down to the last of them:
//
//   schema --.
//   config --+--.
//   api    <-*  |
//   tests  <----o
import type { PlanDocument } from '../plan-document.ts';
import type { Paint } from '../../../terminal/output.ts';
import { cut, plain, wrap } from '../../../terminal/plain-text.ts';

const WIDTH = 80;
const NAME_WIDTH = 36;
const COLUMN_WIDTH = 3;

interface Lane {
  source: string;
  /** Row of the last stream that waits for the source. */
  until: number;
}

type Mark = '*' | 'o' | '.' | '+' | '|' | ' ';

function lastWaiting(plan: PlanDocument, order: readonly string[]): Map<string, number> {
  const last = new Map<string, number>();
  order.forEach((id, row) => {
    for (const wait of plan.streams.get(id)!.waitsFor) last.set(wait.id, row);
  });
  return last;
}

/** One row's columns: dashes lead from the name to the farthest one that concerns it. */
function drawColumns(marks: readonly Mark[], far: number, arrives: boolean): string {
  if (far < 0) return marks.map((mark) => `  ${mark}`).join('');
  const cells = marks.map((mark, at) => {
    if (at > far) return `  ${mark}`;
    const crossed = mark === '|' ? '+' : mark === ' ' ? '-' : mark;
    return `${at === 0 && arrives ? '<-' : '--'}${crossed}`;
  });
  return cells.join('');
}

function createLanes(max: number) {
  const lanes: (Lane | undefined)[] = [];
  return {
    lanes,
    /** False when there is no column left. */
    start(lane: Lane): boolean {
      const free = lanes.indexOf(undefined);
      const at = free < 0 ? lanes.length : free;
      if (at >= max) return false;
      lanes[at] = lane;
      return true;
    },
    endAt(row: number): void {
      lanes.forEach((lane, at) => {
        if (lane !== undefined && lane.until <= row) lanes[at] = undefined;
      });
    },
  };
}

export function drawAscii(plan: PlanDocument, paint: Paint): string {
  const order = plan.waves.flat();
  const last = lastWaiting(plan, order);
  let width = 0;
  for (const id of order) width = Math.max(width, Math.min(id.length, NAME_WIDTH));
  const table = createLanes(Math.floor((WIDTH - width - 4) / COLUMN_WIDTH));
  const lines: string[] = [];
  let row = 0;
  for (const [at, ids] of plan.waves.entries()) {
    lines.push(paint('cyan', `Wave ${at + 1}`));
    for (const id of ids) {
      const { waitsFor, action } = plan.streams.get(id)!;
      const reasons = new Map(waitsFor.map((wait) => [wait.id, wait.reason]));
      const marks = table.lanes.map((lane): Mark => {
        if (lane === undefined) return ' ';
        const reason = reasons.get(lane.source);
        if (reason === undefined) return '|';
        reasons.delete(lane.source);
        return reason === 'dep' ? '*' : 'o';
      });
      const arrives = marks.some((mark) => mark === '*' || mark === 'o');
      // A column that ends here is still drawn here, so a new one may not take its place yet.
      if (last.has(id) && table.start({ source: id, until: last.get(id)! })) {
        marks[table.lanes.findLastIndex((lane) => lane?.source === id)] = '.';
      }
      table.endAt(row);
      const far = marks.findLastIndex((mark) => mark === '*' || mark === 'o' || mark === '.');
      const name = cut(plain(id), width).padEnd(width);
      const shown = paint(action === 'skip' ? 'dim' : 'bold', name);
      lines.push(`  ${shown} ${drawColumns(marks, far, arrives)}`.trimEnd());
      const others = [...reasons.keys()].map(plain);
      if (others.length > 0) lines.push(...wrap(['<-', ...others], WIDTH, '      '));
      row += 1;
    }
  }
  if (last.size > 0)
    lines.push('', '* depends on   o writes the same files   . others wait for it');
  return lines.join('\n');
}
