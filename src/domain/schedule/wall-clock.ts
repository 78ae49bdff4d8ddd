// Times as the clocks of a place show them. Where its clocks are put forward some of them do not exist, and where they are
// put back some exist twice.

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, made);
  return made;
}

/** A place of the time zone database, or UTC; not a number of hours, which knows no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** What the clocks there show, as if it were a time in UTC. */
export function wallTimeOf(at: Date, timeZone: string): Date {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

const aheadOf = (atMs: number, timeZone: string): number =>
  wallTimeOf(new Date(atMs), timeZone).getTime() - Math.floor(atMs / 1000) * 1000;

/** The first moment at which the clocks there show the time or, where they leave it out, a later one. */
export function momentOf(wall: Date, timeZone: string): Date {
  const shown = wall.getTime();
  const before = aheadOf(shown - DAY_MS, timeZone);
  const after = aheadOf(shown + DAY_MS, timeZone);
  const moments = [shown - before, shown - after].toSorted((a, b) => a - b);
  const found = moments.find((at) => at + aheadOf(at, timeZone) === shown);
  if (found !== undefined) return new Date(found);
  // Left out: the clocks are put forward between these two.
  let [early, late] = [moments[0]!, moments[1]!];
  while (late - early > MINUTE_MS) {
    const middle = Math.floor((early + late) / 2 / MINUTE_MS) * MINUTE_MS;
    if (middle + aheadOf(middle, timeZone) < shown) early = middle;
    else late = middle;
  }
  return new Date(late);
}
