// A vendor that keeps what it was sent to the last byte, and answers with the bytes that a test gives it.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

export interface RawCall {
  method: string;
  path: string;
  rawHeaders: string[];
  body: Buffer;
  /** The client closed the connection before the answer was whole. */
  isAborted: boolean;
}

export interface RawAnswer {
  status?: number;
  /** As an object, or name, value, name, value: then each is sent as it is. */
  headers?: Record<string, string> | string[];
  /** One write each. */
  pieces?: readonly (string | Uint8Array)[];
  /** Called before each piece. */
  before?: (index: number) => Promise<void>;
  /** Destroys the connection instead of ending the answer. */
  breaksOff?: boolean;
}

export type AnswerTo = (call: RawCall) => RawAnswer;

export interface RawVendor {
  url: string;
  calls: RawCall[];
  /** What the next calls get; the last one stays. A function sees the call that it answers. */
  answer(...answers: (RawAnswer | AnswerTo)[]): void;
  close(): Promise<void>;
}

async function play(answer: RawAnswer, response: ServerResponse): Promise<void> {
  response.writeHead(
    answer.status ?? 200,
    answer.headers ?? { 'content-type': 'application/json' },
  );
  for (const [index, piece] of (answer.pieces ?? ['{}']).entries()) {
    await answer.before?.(index);
    if (response.destroyed) return;
    response.write(piece);
  }
  if (answer.breaksOff !== true) response.end();
  else setImmediate(() => response.destroy());
}

export async function startRawVendor(): Promise<RawVendor> {
  const calls: RawCall[] = [];
  let answers: (RawAnswer | AnswerTo)[] = [{}];
  const next = () => (answers.length > 1 ? answers.shift()! : answers[0]!);
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const call: RawCall = {
      method: request.method!,
      path: request.url!,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(pieces),
      isAborted: false,
    };
    calls.push(call);
    response.on('close', () => (call.isAborted = !response.writableFinished));
    const answer = next();
    await play(typeof answer === 'function' ? answer(call) : answer, response);
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer: (...given) => (answers = given),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
