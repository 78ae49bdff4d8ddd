// What is sent: {event, timestamp, data}, and small. Receivers refuse large bodies, and whoever
// wants the contents of files can fetch them from the execution.

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

/** The body as text; too large a one leaves out contents, then the result, and says so. */
export function webhookBody(payload: WebhookPayload, statusUrl: string): string {
  const { event, timestamp, data } = payload;
  const text = (shown: Record<string, unknown>) =>
    JSON.stringify({ event, timestamp, data: shown });
  const whole = text(data);
  if (fits(whole)) return whole;
  const cut = { truncated: true, statusUrl };
  const bare = text({ ...(withoutContents(data) as Record<string, unknown>), ...cut });
  if (fits(bare)) return bare;
  const withoutResult = text({ ...data, result: { truncated: true, statusUrl }, ...cut });
  if (fits(withoutResult)) return withoutResult;
  const { executionId, status, sequence } = data;
  return text({ executionId, status, sequence, result: { truncated: true, statusUrl }, ...cut });
}
