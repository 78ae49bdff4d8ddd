// Sends bytes that no HTTP client would send, and reads whatever comes back.
import { connect } from 'node:net';
import { PATIENCE_MS } from '../support/patience.ts';

export interface RawRequest {
  method: string;
  target: string;
  /** In order and as they are: repeated names, odd bytes and all. Latin-1. */
  headers: readonly (readonly [string, string])[];
  body: Buffer;
  /** Announces more bytes than it sends, then closes its half. */
  truncated: boolean;
}

export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

function bytesOf(request: RawRequest): { bytes: Buffer; truncated: boolean } {
  const names = request.headers.map(([name]) => name.toLowerCase());
  const chunked = names.includes('transfer-encoding');
  // A body that was announced must come, or the server rightly waits for it.
  const missing = request.body.length === 0 && names.includes('content-length');
  const body = Buffer.concat([
    missing ? Buffer.from('abc') : request.body,
    Buffer.from(chunked ? '0\r\n\r\n' : ''),
  ]);
  const truncated = request.truncated && !chunked && !names.includes('content-length');
  const length = body.length + (truncated ? 10 : 0);
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    ...(chunked || missing || length === 0 ? [] : [`content-length: ${length}`]),
    'connection: close',
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return { bytes: Buffer.concat([head, body]), truncated };
}

function unchunk(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  let rest = body;
  for (;;) {
    const line = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.subarray(0, Math.max(0, line)).toString('latin1'), 16);
    if (line < 0 || !(size > 0)) return Buffer.concat(parts);
    parts.push(rest.subarray(line + 2, line + 2 + size));
    rest = rest.subarray(line + 4 + size);
  }
}

function parseAnswer(bytes: Buffer): RawAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const rest = bytes.subarray(end + 4);
  if (status >= 100 && status < 200) return parseAnswer(rest);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = headers.get('content-length');
  const body =
    headers.get('transfer-encoding') === 'chunked'
      ? unchunk(rest)
      : rest.subarray(0, length === undefined ? undefined : Number(length));
  return { status, headers, body: body.toString('utf8') };
}

/** Undefined when the server closed the connection without an answer. */
export async function sendRaw(port: number, request: RawRequest): Promise<RawAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy();
      reject(new Error('no answer and no end of the connection'));
    });
    socket.on('data', (chunk) => void chunks.push(chunk));
    // A server that refuses a request may close while its body is still being sent.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks))));
    const { bytes, truncated } = bytesOf(request);
    if (truncated) socket.end(bytes);
    else socket.write(bytes);
  });
}
