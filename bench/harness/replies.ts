// Just enough of HTTP to know where a reply ends: a length, or chunks. Replies are texts in latin1,
// so that characters are bytes.

export interface Reply {
  status: number;
  /** The whole reply; the markers of chunks are left in. */
  text: string;
}

/** Where the chunks that begin at `start` end, or -1 while some are missing. */
function endOfChunks(text: string, start: number): number {
  let at = start;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd < 0) return -1;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('a reply has a chunk without a size');
    if (size === 0) {
      // Trailers may follow, up to an empty line.
      const end = text.indexOf('\r\n\r\n', lineEnd);
      return end < 0 ? -1 : end + 4;
    }
    at = lineEnd + 2 + size + 2;
    if (at > text.length) return -1;
  }
}

/** The reply that `text` holds, or undefined while a part of it is missing. */
export function wholeReply(text: string): Reply | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  const start = headEnd + 4;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const isChunked = length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head);
  const end = isChunked ? endOfChunks(text, start) : start + Number(length ?? 0);
  return end < 0 || text.length < end ? undefined : { status, text };
}
