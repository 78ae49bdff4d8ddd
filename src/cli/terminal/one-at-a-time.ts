// The terminal is one: what asks something there waits for what asks already.

export type TerminalTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function oneAtATime(): TerminalTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
