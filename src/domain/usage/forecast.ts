// What a month will come to when it continues like this.

const DAY_MS = 86_400_000;
/** The first days say little about a month. */
const LEAST_MS = 3 * DAY_MS;

/** Undefined where it would be a guess: too early, nothing spent, or the month is over. */
export function forecastUsd(
  spentUsd: number,
  month: { startMs: number; endMs: number; nowMs: number },
): number | undefined {
  const elapsedMs = month.nowMs - month.startMs;
  if (spentUsd <= 0 || elapsedMs < LEAST_MS || month.nowMs >= month.endMs) return undefined;
  return (spentUsd * (month.endMs - month.startMs)) / elapsedMs;
}
