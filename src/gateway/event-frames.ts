// Cuts a stream of server-sent events where events end, on the bytes as they come: what is passed on stays as it was, and
// what is read of it is whole.

const [LF, CR] = [0x0a, 0x0d];

export interface FramedEvent {
  /** Where it ends in the chunk that completed it. */
  end: number;
  /** Lines of data, joined; empty for an event without any. */
  data: string;
  name: string | undefined;
}

export interface EventFrames {
  /** The events that this chunk completes. */
  push(chunk: Uint8Array): FramedEvent[];
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

export function createEventFrames(): EventFrames {
  let line: Uint8Array[] = [];
  let data: string[] = [];
  let name: string | undefined;
  let hasLines = false;
  /** The line feed that may follow a carriage return belongs to it. */
  let isAfterReturn = false;
  let isFirstLine = true;

  function endLine(): boolean {
    let text = Buffer.concat(line).toString('utf8');
    line = [];
    if (isFirstLine && text.startsWith('\uFEFF')) text = text.slice(1);
    isFirstLine = false;
    if (text === '') return hasLines;
    hasLines = true;
    const [field, value] = fieldOf(text);
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    return false;
  }

  return {
    push(chunk) {
      const events: FramedEvent[] = [];
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at];
        if (isAfterReturn && byte === LF) {
          isAfterReturn = false;
          from = at + 1;
          const last = events.at(-1);
          if (last !== undefined && last.end === at) last.end = at + 1;
          continue;
        }
        isAfterReturn = byte === CR;
        if (byte !== LF && byte !== CR) continue;
        line.push(chunk.subarray(from, at));
        from = at + 1;
        if (!endLine()) continue;
        events.push({ end: at + 1, data: data.join('\n'), name });
        data = [];
        name = undefined;
        hasLines = false;
      }
      // Copied: the chunk may be the buffer of a connection.
      if (from < chunk.length) line.push(Uint8Array.from(chunk.subarray(from)));
      return events;
    },
  };
}
