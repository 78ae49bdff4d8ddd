// A line of the server's log for people: requests that failed, warnings and errors. The rest is for
// programs, which read it as JSON.
import { plain } from './plain-text.ts';

const WARN = 40;
const ERROR = 50;

interface LogRecord {
  level?: number;
  time?: string;
  msg?: string;
  method?: string;
  path?: string;
  status?: number;
  ms?: number;
  requestId?: string;
  err?: { message?: string };
}

const two = (value: number) => String(value).padStart(2, '0');

function clockOf(time: string | undefined): string {
  const at = new Date(time ?? NaN);
  if (Number.isNaN(at.getTime())) return '--:--:--';
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
}

/** Undefined for what a person need not see. What is not ours is passed on as it is. */
export function logLineFor(line: string): string | undefined {
  let record: LogRecord;
  try {
    record = JSON.parse(line) as LogRecord;
  } catch {
    return line.trimEnd();
  }
  const { level = 0, method, path, status = 0, ms, requestId, msg = '', err } = record;
  const clock = clockOf(record.time);
  if (method !== undefined) {
    if (status < 400) return undefined;
    return `${clock}  ${status}  ${method} ${plain(path ?? '')}  ${ms ?? 0} ms  ${requestId ?? ''}`;
  }
  if (level < WARN) return undefined;
  const word = level >= ERROR ? 'error' : 'warning';
  const why = err?.message === undefined ? '' : `: ${plain(err.message)}`;
  return `${clock}  ${word}  ${plain(msg)}${why}`;
}
