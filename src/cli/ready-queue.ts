// How long a plan takes when so many streams run at a time: the queue itself, without the waiting.
// Of the streams that could start, the one with the longest way behind it goes first.

interface Entry {
  key: number;
  node: number;
}

/** Smallest key first; ties by place in the manifest, so that an estimate never wavers. */
function createHeap() {
  const entries: Entry[] = [];
  const isBefore = (a: Entry, b: Entry) => a.key < b.key || (a.key === b.key && a.node < b.node);
  const swap = (i: number, j: number) => {
    [entries[i], entries[j]] = [entries[j]!, entries[i]!];
  };
  return {
    size: () => entries.length,
    push(entry: Entry) {
      entries.push(entry);
      for (let at = entries.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!isBefore(entries[at]!, entries[parent]!)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop(): Entry | undefined {
      const top = entries[0];
      const last = entries.pop();
      if (top === undefined || last === undefined || entries.length === 0) return top;
      entries[0] = last;
      for (let at = 0; ;) {
        const left = 2 * at + 1;
        const right = left + 1;
        let least = at;
        for (const child of [left, right]) {
          if (child < entries.length && isBefore(entries[child]!, entries[least]!)) least = child;
        }
        if (least === at) return top;
        swap(at, least);
        at = least;
      }
    },
  };
}

export interface QueuedStream {
  id: string;
  durationMs: number;
  waitsFor: readonly string[];
}

/** `streams` in an order in which everybody comes after those they wait for. */
export function simulateQueue(streams: readonly QueuedStream[], concurrency: number): number {
  const numbers = new Map(streams.map(({ id }, node) => [id, node]));
  const after: number[][] = streams.map(() => []);
  const open = streams.map(({ waitsFor }, node) => {
    const before = waitsFor.flatMap((id) => numbers.get(id) ?? []);
    for (const each of before) after[each]!.push(node);
    return before.length;
  });
  const wayBehind = new Float64Array(streams.length);
  for (let node = streams.length - 1; node >= 0; node--) {
    let longest = 0;
    for (const each of after[node]!) longest = Math.max(longest, wayBehind[each]!);
    wayBehind[node] = longest + streams[node]!.durationMs;
  }
  const ready = createHeap();
  const running = createHeap();
  open.forEach((count, node) => {
    if (count === 0) ready.push({ key: -wayBehind[node]!, node });
  });
  let now = 0;
  for (;;) {
    while (running.size() < concurrency) {
      const next = ready.pop();
      if (next === undefined) break;
      running.push({ key: now + streams[next.node]!.durationMs, node: next.node });
    }
    const ended = running.pop();
    if (ended === undefined) return now;
    now = ended.key;
    for (const node of after[ended.node]!) {
      if (--open[node]! === 0) ready.push({ key: -wayBehind[node]!, node });
    }
  }
}
