// Copies are gone when this process ends, also by a signal that nobody else answers. What a SIGKILL leaves is
// removed by the next process.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const works = new Set<() => void>();

function runAll(): void {
  for (const work of works) work();
  works.clear();
}

function onSignal(signal: NodeJS.Signals): void {
  // Another listener ends this process when it is ready, and then the exit is ours.
  if (process.listenerCount(signal) > 1) return;
  runAll();
  process.off(signal, onSignal);
  process.kill(process.pid, signal);
}

function listen(): void {
  process.on('exit', runAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function unlisten(): void {
  process.off('exit', runAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

/** Returns how to forget it. */
export function removeAtExit(work: () => void): () => void {
  if (works.size === 0) listen();
  works.add(work);
  return () => {
    if (works.delete(work) && works.size === 0) unlisten();
  };
}
