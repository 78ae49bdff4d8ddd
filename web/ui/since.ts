const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** So many days ago, to the hour: the same address asks the same question for a while. */
export function sinceOf(days: string | undefined): string | undefined {
  const count = Number(days);
  if (days === undefined || !(count > 0 && count < 100_000)) return undefined;
  return new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - count * DAY_MS).toISOString();
}
