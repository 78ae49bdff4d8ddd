// Where streams stand in the graph: a column for each wave. In a column they are ordered by where their
// dependencies stand, so that lines cross little. The same run always looks the same.
import type { RunProjection, StreamRow } from '../../../../src/domain/run/projection.ts';
import { wavesOf } from '../../../../src/domain/run/projection.ts';

export const NODE = { width: 216, height: 64 } as const;
/** A fix stands under its stream. */
export const FIX_HEIGHT = 30;
const GAP = { x: 72, y: 18 } as const;
const HEAD = 40;

export interface PlacedNode {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedWave {
  wave: number;
  x: number;
  ids: string[];
}

export interface GraphLayout {
  nodes: PlacedNode[];
  waves: PlacedWave[];
  edges: { from: string; to: string }[];
  width: number;
  height: number;
}

/** Streams without dependencies stay in the order of the manifest. */
function ordered(rows: readonly StreamRow[], rank: ReadonlyMap<string, number>): StreamRow[] {
  const weightOf = (row: StreamRow, index: number) => {
    const known = row.waitsFor.flatMap((id) => rank.get(id) ?? []);
    return known.length === 0 ? index : known.reduce((sum, each) => sum + each, 0) / known.length;
  };
  return rows
    .map((row, index) => ({ row, weight: weightOf(row, index), index }))
    .sort((a, b) => a.weight - b.weight || a.index - b.index)
    .map(({ row }) => row);
}

const heightOf = ({ fixes }: StreamRow) => NODE.height + fixes.length * FIX_HEIGHT;

/** Lines only to what is directly before: what follows from others is left out. */
function edgesOf(projection: RunProjection): GraphLayout['edges'] {
  const edges: GraphLayout['edges'] = [];
  for (const row of projection.streams.values()) {
    if (row.fixOf !== undefined) continue;
    const own = new Set(row.waitsFor);
    for (const id of row.waitsFor) {
      const isImplied = [...own].some(
        (other) => other !== id && projection.streams.get(other)?.waitsFor.includes(id),
      );
      if (!isImplied && projection.streams.has(id)) edges.push({ from: id, to: row.id });
    }
  }
  return edges;
}

export function layoutOf(projection: RunProjection): GraphLayout {
  const rank = new Map<string, number>();
  const nodes: PlacedNode[] = [];
  const waves: PlacedWave[] = [];
  let x = 0;
  for (const [wave, rows] of wavesOf(projection)) {
    let y = HEAD;
    const inOrder = ordered(rows, rank);
    inOrder.forEach((row, index) => {
      rank.set(row.id, index);
      nodes.push({ id: row.id, x, y, width: NODE.width, height: heightOf(row) });
      y += heightOf(row) + GAP.y;
    });
    waves.push({ wave, x, ids: inOrder.map(({ id }) => id) });
    x += NODE.width + GAP.x;
  }
  const height = Math.max(0, ...nodes.map(({ y, height: tall }) => y + tall));
  return { nodes, waves, edges: edgesOf(projection), width: Math.max(0, x - GAP.x), height };
}
