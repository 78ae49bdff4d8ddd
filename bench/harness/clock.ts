/** Milliseconds on a clock that all processes of this machine share. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** CPU time that this process has used so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
