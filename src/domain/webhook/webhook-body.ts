// What is sent: {event, timestamp, data}, and small. Receivers refuse large bodies, and those that
// want the contents of files can fetch them from the execution.
import { utf8Length } from '../artifact/utf8-length.ts';

export const MAX_WEBHOOK_BYTES = 20 * 1024;

export interface WebhookPayload {
  event: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  data: Record<string, unknown>;
}

/** Every operation in here with what it does to which file, without the texts. */
function withoutContents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutContents);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name !== 'operations' || !Array.isArray(inner)) return [name, withoutContents(inner)];
      return [
        name,
        inner.map(({ type, path }: { type?: unknown; path?: unknown }) => ({ type, path })),
      ];
    }),
  );
}

function fits(text: string): boolean {
  // UTF-8 takes at most three bytes for each unit of a JavaScript string.
  if (text.length * 3 <= MAX_WEBHOOK_BYTES) return true;
  return (
    text.length <= MAX_WEBHOOK_BYTES && new TextEncoder().encode(text).length <= MAX_WEBHOOK_BYTES
  );
}

const MAX_SUMMARY = 2000;
const MAX_NAMES_BYTES = 10 * 1024;

/** Of a result that does not fit: how it ended, in words, and the names of the files, as many as there is room for. */
function inShort(result: unknown): Record<string, unknown> {
  const { success, summary, artifacts } = (result ?? {}) as Record<string, unknown>;
  const short: Record<string, unknown> = {};
  if (typeof success === 'boolean') short['success'] = success;
  if (typeof summary === 'string') {
    const isLong = summary.length > MAX_SUMMARY;
    short['summary'] = isLong ? `${summary.slice(0, MAX_SUMMARY).toWellFormed()}...` : summary;
  }
  if (!Array.isArray(artifacts)) return short;
  const names = new Set(
    artifacts.flatMap((artifact: { filesChanged?: string[] }) => artifact.filesChanged ?? []),
  );
  const filesChanged: string[] = [];
  let room = MAX_NAMES_BYTES;
  for (const name of names) {
    room -= utf8Length(JSON.stringify(name)) + 1;
    if (room < 0) break;
    filesChanged.push(name);
  }
  return { ...short, filesChanged, fileCount: names.size };
}

/** The body as text; too large a one leaves out contents, then most of the result, and says so. */
export function webhookBody(payload: WebhookPayload, statusUrl: string): string {
  const { event, timestamp, data } = payload;
  const text = (shown: Record<string, unknown>) =>
    JSON.stringify({ event, timestamp, data: shown });
  const whole = text(data);
  if (fits(whole)) return whole;
  const cut = { truncated: true, statusUrl };
  const bare = text({ ...(withoutContents(data) as Record<string, unknown>), ...cut });
  if (fits(bare)) return bare;
  const result = { ...inShort(data['result']), ...cut };
  const withShort = text({ ...data, result, ...cut });
  if (fits(withShort)) return withShort;
  const { executionId, status, sequence } = data;
  return text({ executionId, status, sequence, result, ...cut });
}
