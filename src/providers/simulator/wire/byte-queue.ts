// Text that is written at its own speed and read as bytes. It is as long as one answer at most, so it needs no limit.

export interface ByteQueue {
  write(text: string): void;
  /** What was written is still read. */
  end(): void;
  /** The reader fails once it has read what was written. */
  fail(error: unknown): void;
  /** `onStop`: the reader wants no more, or has all of it. */
  read(onStop: () => void): AsyncGenerator<Uint8Array>;
}

export function createByteQueue(): ByteQueue {
  const written: string[] = [];
  let last: { error?: unknown } | undefined;
  let wake = () => {};
  const finish = (how: { error?: unknown }) => {
    last ??= how;
    wake();
  };
  return {
    write(text) {
      if (text !== '') written.push(text);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    async *read(onStop) {
      try {
        for (;;) {
          // What was written in one go leaves in one go.
          if (written.length > 0) yield Buffer.from(written.splice(0).join(''));
          else if (last !== undefined) break;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
        if ('error' in last) throw last.error;
      } finally {
        onStop();
      }
    },
  };
}
