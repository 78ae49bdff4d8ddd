// A reader of server-sent events that knows nothing of the service's own code.

export interface SentEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

export interface EventReader {
  response: Response;
  /** The next event, or undefined when the stream has ended. */
  next(): Promise<SentEvent | undefined>;
  /** Everything up to and including the first event that matches. */
  until(matches: (event: SentEvent) => boolean): Promise<SentEvent[]>;
  rest(): Promise<SentEvent[]>;
  close(): void;
}

export async function openEvents(
  url: string,
  headers: Record<string, string>,
): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const events = parse(response);

  async function next(): Promise<SentEvent | undefined> {
    const result = await events.next();
    return result.done ? undefined : result.value;
  }

  async function until(matches: (event: SentEvent) => boolean): Promise<SentEvent[]> {
    const seen: SentEvent[] = [];
    for (let event = await next(); event !== undefined; event = await next()) {
      seen.push(event);
      if (matches(event)) return seen;
    }
    throw new Error(`the stream ended after ${JSON.stringify(seen.slice(-3))}`);
  }

  return {
    response,
    next,
    until,
    async rest() {
      const seen: SentEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) seen.push(event);
      return seen;
    },
    close: () => abort.abort(),
  };
}

async function* parse(response: Response): AsyncGenerator<SentEvent, undefined> {
  if (response.body === null) return undefined;
  let buffered = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    buffered += text;
    for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
      const lines = buffered.slice(0, end).split('\n');
      buffered = buffered.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      // Without data it is a comment that keeps the connection alive.
      if (data === undefined) continue;
      yield {
        id: field('id') ?? '',
        event: field('event') ?? '',
        data: JSON.parse(data) as Record<string, unknown>,
      };
    }
  }
  return undefined;
}

/** The text that the events add up to. */
export function textOf(events: readonly SentEvent[]): string {
  return events
    .filter((event) => event.event === 'text')
    .map((event) => event.data['text'] as string)
    .join('');
}
