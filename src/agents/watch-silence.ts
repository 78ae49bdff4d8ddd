// An agent that makes no call, prints nothing and uses no time of the processor does nothing any more.
import type { SandboxProcess } from '../sandbox/sandbox.ts';

const SILENT_MS = 300_000;
const LOOKS = 10;

export interface SilenceWatch {
  heard(): void;
  stop(): void;
}

export function watchSilence(
  running: () => readonly Pick<SandboxProcess, 'ticks'>[],
  {
    silentMs = SILENT_MS,
    onSilent,
  }: { silentMs?: number | undefined; onSilent(time: string): void },
): SilenceWatch {
  let quiet = 0;
  let before = 0;
  const heard = () => {
    quiet = 0;
  };
  // Counted in looks: a machine that slept has not seen it silent.
  const timer = setInterval(() => {
    const ticks = running().reduce((sum, one) => sum + one.ticks(), 0);
    // A process that waits wakes up now and then; a few ticks are no work.
    if (Math.abs(ticks - before) > 1) heard();
    before = ticks;
    quiet += 1;
    if (quiet <= LOOKS) return;
    clearInterval(timer);
    onSilent(silentMs < 60_000 ? `${silentMs / 1000} s` : `${Math.round(silentMs / 60_000)} min`);
  }, silentMs / LOOKS);
  return { heard, stop: () => clearInterval(timer) };
}
