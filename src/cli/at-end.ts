// What a command leaves to be done after it, such as closing a server that it started for itself.
const pending: (() => Promise<void>)[] = [];

export function atEnd(close: () => Promise<void>): void {
  pending.push(close);
}

/** Last in, first out; each runs whatever happens to the others. */
export async function runAtEnd(): Promise<void> {
  for (let close = pending.pop(); close; close = pending.pop()) await close().catch(() => {});
}
