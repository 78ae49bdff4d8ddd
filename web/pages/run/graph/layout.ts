// Where streams stand in the graph: a column for each wave. In a column they are ordered by where their
// dependencies stand, so that lines cross little. The same run always looks the same.
export const NODE = { width: 216, height: 64 } as const;
const GAP = { x: 72, y: 18 } as const;
const HEAD = 40;

export interface GraphRow {
  id: string;
  waitsFor: readonly string[];
  height: number;
}

export type GraphWaves = readonly (readonly [wave: number, rows: readonly GraphRow[]])[];

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
function ordered(rows: readonly GraphRow[], rank: ReadonlyMap<string, number>): GraphRow[] {
  const weightOf = (row: GraphRow, index: number) => {
    const known = row.waitsFor.flatMap((id) => rank.get(id) ?? []);
    return known.length === 0 ? index : known.reduce((sum, each) => sum + each, 0) / known.length;
  };
  return rows
    .map((row, index) => ({ row, weight: weightOf(row, index), index }))
    .sort((a, b) => a.weight - b.weight || a.index - b.index)
    .map(({ row }) => row);
}

/** Lines only to what is directly before: what follows from others is left out. */
function edgesOf(rows: ReadonlyMap<string, GraphRow>): GraphLayout['edges'] {
  const edges: GraphLayout['edges'] = [];
  for (const row of rows.values()) {
    const own = new Set(row.waitsFor);
    for (const id of own) {
      const isImplied = [...own].some(
        (other) => other !== id && rows.get(other)?.waitsFor.includes(id),
      );
      if (!isImplied && rows.has(id)) edges.push({ from: id, to: row.id });
    }
  }
  return edges;
}

export function layoutOf(given: GraphWaves): GraphLayout {
  const rank = new Map<string, number>();
  const nodes: PlacedNode[] = [];
  const waves: PlacedWave[] = [];
  let x = 0;
  for (const [wave, rows] of given) {
    let y = HEAD;
    const inOrder = ordered(rows, rank);
    inOrder.forEach(({ id, height }, index) => {
      rank.set(id, index);
      nodes.push({ id, x, y, width: NODE.width, height });
      y += height + GAP.y;
    });
    waves.push({ wave, x, ids: inOrder.map(({ id }) => id) });
    x += NODE.width + GAP.x;
  }
  const height = Math.max(0, ...nodes.map(({ y, height: tall }) => y + tall));
  const rows = new Map(given.flatMap(([, inWave]) => inWave.map((row) => [row.id, row])));
  return { nodes, waves, edges: edgesOf(rows), width: Math.max(0, x - GAP.x), height };
}
