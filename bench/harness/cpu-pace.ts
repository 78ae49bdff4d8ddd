// How fast the cores are at the moment. On a shared host they can be half as fast from one minute to the next without
// any time being stolen: by their clock, and by what runs on the other thread of the same core.
import { createHash } from 'node:crypto';

const BLOCK = Buffer.alloc(1 << 20, 7);
const BLOCKS = 8;
const SAMPLE_EVERY_MS = 1000;

/** CPU time of a fixed piece of work, in ms: it does not matter how many others want the same core. */
function sample(): number {
  const before = process.cpuUsage();
  const hash = createHash('sha256');
  for (let block = 0; block < BLOCKS; block++) hash.update(BLOCK);
  hash.digest();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

/** Call it once to begin, and what it returns to hear the mean of both moments, in ms of CPU. */
export function watchCpuPace(): () => number {
  const before = sample();
  return () => mean([before, sample()]);
}

/** The same with a look every second, where holding up this process does no harm. */
export function sampleCpuPace(): () => number {
  const samples = [sample()];
  const timer = setInterval(() => samples.push(sample()), SAMPLE_EVERY_MS);
  return () => {
    clearInterval(timer);
    return mean(samples);
  };
}
