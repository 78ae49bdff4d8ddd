// The times of a schedule in words, where a pattern is as simple as that.

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SHORT = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

export function everyText(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? (['second', 1] as const);
  const count = seconds / size;
  return count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`;
}

const isNumber = (text: string) => /^\d{1,2}$/.test(text);

/** 0 for Sunday, which is 7, too. */
function dayOf(text: string): number | undefined {
  const named = SHORT.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  return /^[0-7]$/.test(text) ? Number(text) % 7 : undefined;
}

function joined(words: readonly string[]): string {
  const last = words.at(-1)!;
  return words.length === 1 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function daysText(days: string): string | undefined {
  if (days === '*') return 'Every day';
  const range = /^(\w+)-(\w+)$/.exec(days);
  if (range !== null) {
    const [from, to] = [dayOf(range[1]!), dayOf(range[2]!)];
    return from === undefined || to === undefined ? undefined : `${DAYS[from]!} to ${DAYS[to]!}`;
  }
  const each = days.split(',').map(dayOf);
  if (each.some((day) => day === undefined)) return undefined;
  return `Every ${joined(each.map((day) => DAYS[day!]!))}`;
}

/** Undefined for what says it better itself. */
export function cronText(cron: string): string | undefined {
  const [minute = '', hour = '', date = '', month = '', days = ''] = cron.split(' ');
  if (month !== '*') return undefined;
  const everyDay = date === '*' && days === '*';
  if (everyDay && hour === '*') {
    if (minute === '*') return 'Every minute';
    const step = /^\*\/(\d{1,2})$/.exec(minute);
    // Others begin anew with each hour.
    if (step !== null && 60 % Number(step[1]) === 0) return everyText(Number(step[1]) * 60);
    return isNumber(minute) ? `Every hour at :${minute.padStart(2, '0')}` : undefined;
  }
  if (!isNumber(minute) || !isNumber(hour)) return undefined;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (date === '*') {
    const text = daysText(days);
    return text === undefined ? undefined : `${text} at ${time}`;
  }
  return days === '*' && isNumber(date)
    ? `Day ${Number(date)} of each month at ${time}`
    : undefined;
}

export function shownTime(time: string | number, timeZone: string | null): string {
  return new Date(time).toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(timeZone === null ? {} : { timeZone }),
  });
}
