// All lines in one path, and all their heads in another: one element for each made large graphs slow.
import type { GraphLayout, PlacedNode } from './layout.ts';
import { NODE } from './layout.ts';
import { overlaps } from './viewport.ts';
import type { Box } from './viewport.ts';

const HEAD = 6;

export function EdgeLines({ layout, seen }: { layout: GraphLayout; seen: Box }) {
  const places = new Map(layout.nodes.map((node) => [node.id, node]));
  const lines: string[] = [];
  const heads: string[] = [];
  // A line is at the height of the stream itself, not of the fixes under it.
  const middle = ({ y }: PlacedNode) => y + NODE.height / 2;
  for (const { from, to } of layout.edges) {
    const start = places.get(from);
    const end = places.get(to);
    if (start === undefined || end === undefined) continue;
    const [x1, y1, x2, y2] = [start.x + start.width, middle(start), end.x - HEAD, middle(end)];
    const [x, y] = [Math.min(x1, x2), Math.min(y1, y2)];
    if (!overlaps({ x, y, width: Math.abs(x2 - x1) + 1, height: Math.abs(y2 - y1) + 1 }, seen)) {
      continue;
    }
    const bend = Math.max(24, (x2 - x1) / 2);
    lines.push(`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
    heads.push(`M${x2 + HEAD} ${y2}l${-HEAD} -4v8z`);
  }
  return (
    <svg aria-hidden="true" className="pointer-events-none absolute size-px overflow-visible">
      <path d={lines.join('')} fill="none" stroke="var(--line-strong)" />
      <path d={heads.join('')} fill="var(--line-strong)" />
    </svg>
  );
}
