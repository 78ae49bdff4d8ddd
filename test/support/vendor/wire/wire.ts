import type { StreamError, UsageKind } from '../options.ts';

/** One answer in one vendor's wire format; every part is text to be written as it is. */
export interface Wire {
  headers: Readonly<Record<string, string>>;
  /** What comes before the first text, reasoning included. */
  open(): string;
  piece(text: string): string;
  close(): string;
  /** A sign of life without content. */
  ping(): string;
  unknown(): string;
  badShape(): string;
  failure(error: StreamError): string;
}

export const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

export function namedEvent(data: { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** The usage as this kind of report would show it; undefined leaves the field out. */
export function reported<T extends object>(usage: T, kind: UsageKind): T | undefined {
  if (kind === 'missing') return undefined;
  if (kind === 'normal') return usage;
  return JSON.parse(
    JSON.stringify(usage, (_, value: unknown) =>
      typeof value === 'number' ? wrong(value, kind) : value,
    ),
  ) as T;
}

function wrong(value: number, kind: Exclude<UsageKind, 'missing' | 'normal'>): number | string {
  switch (kind) {
    case 'negative':
      return -value - 1;
    case 'huge':
      return (value + 1) * 1e12;
    case 'fraction':
      return value + 0.5;
    case 'text':
      return String(value);
  }
}
