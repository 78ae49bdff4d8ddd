// How high everything is, so that only what is in view has to be drawn: blocks (files) below each other, each with a head and
// rows. Heights are estimated until they are measured.

export interface Block {
  id: string;
  rows: readonly { key: string }[];
}

export interface LayoutOptions {
  headHeight: number;
  /** Between two blocks. */
  space: number;
  estimate(row: { key: string }, block: Block): number;
}

/** A row of a block; undefined: its head. */
export interface Spot {
  block: string;
  row: string | undefined;
}

interface Offsets {
  rows: readonly { key: string }[];
  version: number;
  /** Made when it is asked for. */
  index: Map<string, number> | undefined;
  /** Of each row from the top of the block, and the height of it all. */
  tops: Float64Array;
}

const HEAD = '\0head';

/** The last whose top is not below `y`. */
function lastAt(tops: Float64Array, count: number, y: number): number {
  let [low, high] = [0, Math.max(0, count - 1)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Layout {
  readonly #options: LayoutOptions;
  readonly #measured = new Map<string, Map<string, number>>();
  readonly #versions = new Map<string, number>();
  readonly #offsets = new Map<string, Offsets>();
  #blocks: readonly Block[] = [];
  #index = new Map<string, number>();
  #tops = new Float64Array(1);
  #isStale = false;

  constructor(options: LayoutOptions) {
    this.#options = options;
  }

  setBlocks(blocks: readonly Block[]): void {
    if (blocks === this.#blocks) return;
    this.#blocks = blocks;
    this.#index = new Map(blocks.map(({ id }, at) => [id, at]));
    this.#isStale = true;
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** True if anything is elsewhere than before. */
  measure({ block, row }: Spot, height: number): boolean {
    const before = this.#heightNow({ block, row });
    const own = this.#measured.get(block) ?? new Map<string, number>();
    this.#measured.set(block, own.set(row ?? HEAD, height));
    if (before === undefined || Math.abs(before - height) < 0.5) return false;
    this.#versions.set(block, (this.#versions.get(block) ?? 0) + 1);
    this.#isStale = true;
    return true;
  }

  get total(): number {
    this.#refresh();
    return this.#tops[this.#blocks.length]!;
  }

  topOfBlock(at: number): number {
    this.#refresh();
    return this.#tops[at]!;
  }

  heightOfBlock(at: number): number {
    return this.topOfBlock(at + 1) - this.topOfBlock(at) - this.#options.space;
  }

  /** Of each row from the top of the block; the last is its height. */
  rowTops(at: number): Float64Array {
    return this.#offsetsOf(this.#blocks[at]!).tops;
  }

  /** Undefined if it is not there. */
  topOf({ block, row }: Spot): number | undefined {
    const at = this.#index.get(block);
    if (at === undefined) return undefined;
    if (row === undefined) return this.topOfBlock(at);
    const index = this.#rowIndex(this.#blocks[at]!, row);
    return index === undefined ? undefined : this.topOfBlock(at) + this.rowTops(at)[index]!;
  }

  /** What is at this height. */
  spotAt(y: number): Spot | undefined {
    if (this.#blocks.length === 0) return undefined;
    this.#refresh();
    const at = lastAt(this.#tops, this.#blocks.length, Math.max(0, y));
    const block = this.#blocks[at]!;
    const tops = this.rowTops(at);
    const inside = Math.max(0, y) - this.#tops[at]!;
    if (block.rows.length === 0 || inside < tops[0]!) return { block: block.id, row: undefined };
    return { block: block.id, row: block.rows[lastAt(tops, block.rows.length, inside)]!.key };
  }

  blocksBetween(from: number, to: number): { first: number; last: number } {
    this.#refresh();
    const { length } = this.#blocks;
    return { first: lastAt(this.#tops, length, from), last: lastAt(this.#tops, length, to) };
  }

  /** Rows of a block that are between these heights, from its top. */
  rowsBetween(at: number, from: number, to: number): { first: number; end: number } {
    const { length } = this.#blocks[at]!.rows;
    const tops = this.rowTops(at);
    if (length === 0 || to <= tops[0]! || from >= tops[length]!) return { first: 0, end: 0 };
    return { first: lastAt(tops, length, from), end: lastAt(tops, length, to) + 1 };
  }

  #rowIndex(block: Block, row: string): number | undefined {
    const offsets = this.#offsetsOf(block);
    offsets.index ??= new Map(block.rows.map(({ key }, at) => [key, at]));
    return offsets.index.get(row);
  }

  #heightNow({ block: id, row }: Spot): number | undefined {
    const known = this.#measured.get(id)?.get(row ?? HEAD);
    if (known !== undefined) return known;
    if (row === undefined) return this.#options.headHeight;
    const at = this.#index.get(id);
    if (at === undefined) return undefined;
    const block = this.#blocks[at]!;
    const index = this.#rowIndex(block, row);
    return index === undefined ? undefined : this.#options.estimate(block.rows[index]!, block);
  }

  #offsetsOf(block: Block): Offsets {
    const known = this.#offsets.get(block.id);
    const version = this.#versions.get(block.id) ?? 0;
    if (known !== undefined && known.rows === block.rows && known.version === version) {
      return known;
    }
    const measured = this.#measured.get(block.id);
    const tops = new Float64Array(block.rows.length + 1);
    let y = measured?.get(HEAD) ?? this.#options.headHeight;
    block.rows.forEach((row, at) => {
      tops[at] = y;
      y += measured?.get(row.key) ?? this.#options.estimate(row, block);
    });
    tops[block.rows.length] = y;
    const offsets = { rows: block.rows, version, tops, index: undefined };
    this.#offsets.set(block.id, offsets);
    return offsets;
  }

  #refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const { length } = this.#blocks;
    const tops = new Float64Array(length + 1);
    let y = 0;
    this.#blocks.forEach((block, at) => {
      tops[at] = y;
      y += this.#offsetsOf(block).tops[block.rows.length]! + this.#options.space;
    });
    tops[length] = y;
    this.#tops = tops;
  }
}
