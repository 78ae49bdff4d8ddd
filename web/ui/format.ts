// Numbers as people read them.
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

export function formatRelative(time: number, now: number): string {
  const distance = time - now;
  if (Math.abs(distance) < 5000) return 'just now';
  const [unit, size] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? UNITS.at(-1)!;
  return RELATIVE.format(Math.trunc(distance / size), unit);
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m ${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`;
}

/** Small amounts keep the digits that tell them apart. */
export function formatDollars(amount: number): string {
  if (amount === 0) return '$0.00';
  if (amount < 0.0001) return '<$0.0001';
  const digits = amount < 0.01 ? 4 : amount < 1 ? 3 : 2;
  return amount.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

export function formatShort(count: number): string {
  if (count < 10_000) return formatCount(count);
  const compact = { notation: 'compact', maximumFractionDigits: 1 } as const;
  return count.toLocaleString('en-US', compact);
}

/** The first line says what failed, the next what it said: on one line they need a colon between them. */
export function oneLine(text: string): string {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .join(': ');
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilo = bytes / 1024;
  return kilo < 1024 ? `${kilo.toFixed(kilo < 10 ? 1 : 0)} KB` : `${(kilo / 1024).toFixed(1)} MB`;
}

export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}
