// When a schedule is due. A pattern of fixed times ("30 2 * * *") is due at those times as the clocks of its place show
// them: one that does not exist, because the clocks were put forward over it, at the first moment after the gap; one that
// exists twice only the first time. A pattern of intervals ("*/15 * * * *": minutes or hours begin with a star) runs
// through such changes, as time itself does.
import { Cron } from 'croner';
import { isTimeZone, momentOf, wallTimeOf } from './wall-clock.ts';

export type Times =
  | { kind: 'cron'; cron: string; timeZone: string }
  /** Counted from `from`, so that nothing shifts when a start was late. */
  | { kind: 'every'; everySeconds: number; from: Date };

export const LEAST_EVERY_S = 60;
export const MOST_EVERY_S = 366 * 24 * 3600;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/** Five fields with one space between them; undefined for anything else. */
export function normalCron(text: string): string | undefined {
  const trimmed = text.trim().replaceAll(/[ \t]+/g, ' ');
  const pattern = NICKNAMES[trimmed.toLowerCase()] ?? trimmed;
  return /^[0-9A-Za-z*,/?#-]+(?: [0-9A-Za-z*,/?#-]+){4}$/.test(pattern) ? pattern : undefined;
}

function runsThrough(cron: string): boolean {
  const [minutes = '', hours = ''] = cron.split(' ');
  return minutes.startsWith('*') || hours.startsWith('*');
}

const parsed = (cron: string, timeZone: string) =>
  new Cron(cron, { timezone: timeZone, paused: true, mode: '5-part' });

function nextOfCron(cron: string, timeZone: string, after: Date): Date | undefined {
  if (runsThrough(cron)) return parsed(cron, timeZone).nextRun(after) ?? undefined;
  const pattern = parsed(cron, 'UTC');
  let shown = wallTimeOf(after, timeZone);
  for (;;) {
    const next = pattern.nextRun(shown);
    if (next === null) return undefined;
    const at = momentOf(next, timeZone);
    if (at > after) return at;
    shown = next;
  }
}

/** The first time after this one; undefined when there is none any more. */
export function nextTime(times: Times, after: Date): Date | undefined {
  if (times.kind === 'cron') return nextOfCron(times.cron, times.timeZone, after);
  const everyMs = times.everySeconds * 1000;
  const from = times.from.getTime();
  const passed = Math.max(0, Math.floor((after.getTime() - from) / everyMs));
  return new Date(from + (passed + 1) * everyMs);
}

export function nextTimes(times: Times, after: Date, count: number): Date[] {
  const found: Date[] = [];
  for (let at = nextTime(times, after); at !== undefined; at = nextTime(times, at)) {
    found.push(at);
    if (found.length === count) break;
  }
  return found;
}

export type CronCheck =
  | { kind: 'ok'; cron: string }
  | { kind: 'refused'; field: 'cron' | 'timeZone'; reason: string };

/** `now`: a pattern must be due at some time after it. */
export function checkCron(text: string, timeZone: string, now: Date): CronCheck {
  if (!isTimeZone(timeZone)) {
    const reason = 'must be a time zone such as UTC or Europe/Berlin';
    return { kind: 'refused', field: 'timeZone', reason };
  }
  const refused = (reason: string): CronCheck => ({ kind: 'refused', field: 'cron', reason });
  const cron = normalCron(text);
  if (cron === undefined) {
    return refused(
      'must have five fields: minute, hour, day of the month, month, day of the week, such as "0 9 * * 1-5"',
    );
  }
  try {
    parsed(cron, 'UTC');
  } catch (error) {
    return refused(`is not a cron pattern: ${reasonOf(error)}`);
  }
  if (nextOfCron(cron, timeZone, now) === undefined) {
    return refused('is never due: no such day exists. Check the day of the month and the month');
  }
  return { kind: 'ok', cron };
}

/** What the parser says, without its own name. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^CronPattern: /, '').slice(0, 200);
}
