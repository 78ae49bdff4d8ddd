// A reader that leaves early (`millrace plan | head -1`) is no failure: what is written after that
// goes nowhere. Without a listener the first such write would end the process with a stack trace,
// and a server that it had started would stay behind.

/** EIO: the terminal is gone. */
const CLOSED = new Set(['EIO', 'EPIPE', 'ERR_STREAM_DESTROYED']);

export function isClosed(error: NodeJS.ErrnoException): boolean {
  return CLOSED.has(error.code ?? '');
}

function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (!isClosed(error)) throw error;
}

export function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', ignoreClosed).on('error', ignoreClosed);
  }
}

/** Calls `closed` when nobody reads any longer; returns how to stop listening. */
export function onClosedOutput(closed: () => void): () => void {
  const streams = [process.stdout, process.stderr];
  const listener = (error: NodeJS.ErrnoException) => {
    if (isClosed(error)) closed();
  };
  for (const stream of streams) stream.on('error', listener);
  return () => {
    for (const stream of streams) stream.off('error', listener);
  };
}
