// `q` and ctrl-c leave a view; the run that it shows goes on.

const LEAVE = new Set(['q', 'Q', '\u0003', '\u0004']);

export interface LeaveKeys {
  signal: AbortSignal;
  isInterrupted(): boolean;
  close(): void;
}

export function listenForLeaving(stdin: NodeJS.ReadStream): LeaveKeys {
  const controller = new AbortController();
  let interrupted = false;
  const leave = (byInterrupt: boolean) => {
    interrupted ||= byInterrupt;
    controller.abort();
  };
  const onSignal = () => leave(true);
  const onData = (data: Buffer) => {
    for (const key of data.toString('utf8')) if (LEAVE.has(key)) leave(key === '\u0003');
  };
  process.on('SIGINT', onSignal);
  const isRaw = stdin.isTTY;
  if (isRaw) {
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
  }
  return {
    signal: controller.signal,
    isInterrupted: () => interrupted,
    close() {
      process.off('SIGINT', onSignal);
      if (!isRaw) return;
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
