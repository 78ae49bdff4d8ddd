/** Milliseconds on a clock that all processes of this machine share. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
