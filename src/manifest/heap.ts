// A binary heap; the smallest comes out first.

export interface Heap<T> {
  push(item: T): void;
  pop(): T | undefined;
}

export function createHeap<T>(compare: (a: T, b: T) => number): Heap<T> {
  const items: T[] = [];

  function swap(a: number, b: number): void {
    const kept = items[a]!;
    items[a] = items[b]!;
    items[b] = kept;
  }

  function sinkFirst(): void {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      if (left >= items.length) return;
      const right = left + 1;
      const isRight = right < items.length && compare(items[right]!, items[left]!) < 0;
      const child = isRight ? right : left;
      if (compare(items[child]!, items[at]!) >= 0) return;
      swap(at, child);
      at = child;
    }
  }

  return {
    push(item) {
      items.push(item);
      for (let at = items.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (compare(items[at]!, items[parent]!) >= 0) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      const first = items[0];
      const last = items.pop();
      if (items.length > 0) {
        items[0] = last!;
        sinkFirst();
      }
      return first;
    },
  };
}
