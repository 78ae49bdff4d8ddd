// JSON-RPC with a process, a message a line. What comes is not trusted: anything that is no message is text that the
// process prints, answers to questions that were never asked are passed over, and who asks without end is cut off.
import { z } from 'zod';
import type { SandboxProcess } from '../../sandbox/sandbox.ts';
import { createJsonLines } from '../json-lines.ts';
import { createLastLines } from '../last-lines.ts';

const MOST_REQUESTS = 20_000;
const NO_SUCH_METHOD = -32601;
const INVALID = -32602;

/** The other side cannot be worked with: its answer is an error, it is gone, or it says nothing. */
export class AcpError extends Error {}

export interface AcpHandlers {
  /** Its answer; undefined for a method that is not offered. Throws for parameters that make no sense. */
  onRequest(method: string, params: unknown): object | undefined;
  onNotification(method: string, params: unknown): void;
}

export interface AcpConnection {
  request(method: string, params: object, timeoutMs?: number): Promise<unknown>;
  /** What it printed besides. */
  printed(): string | undefined;
}

const Id = z.union([z.number(), z.string(), z.null()]);
const Message = z.looseObject({
  id: Id.optional(),
  method: z.string().optional(),
  error: z
    .looseObject({ message: z.string().catch('no message'), data: z.unknown().optional() })
    .optional(),
});

interface Pending {
  method: string;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export function connectAcp(process: SandboxProcess, handlers: AcpHandlers): AcpConnection {
  const pending = new Map<number, Pending>();
  const printed = createLastLines(() => undefined);
  let nextId = 0;
  let requests = 0;
  let over: AcpError | undefined;

  function endAll(error: AcpError): void {
    over ??= error;
    for (const one of pending.values()) one.reject(over);
    pending.clear();
  }
  function send(message: object): void {
    if (over === undefined)
      process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
  function answer(id: z.infer<typeof Id>, method: string, params: unknown): void {
    requests += 1;
    if (requests > MOST_REQUESTS) {
      endAll(new AcpError(`It sent more than ${MOST_REQUESTS} requests.`));
      return;
    }
    try {
      const result = handlers.onRequest(method, params);
      if (result !== undefined) send({ id, result });
      else send({ id, error: { code: NO_SUCH_METHOD, message: `${method} is not offered.` } });
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      send({ id, error: { code: INVALID, message: `The parameters of ${method} are not valid.` } });
    }
  }
  function receive(value: object): void {
    if (over !== undefined) return;
    const message = Message.safeParse(value).data;
    if (message === undefined) return;
    const { id, method, error } = message;
    if (method !== undefined) {
      if (id === undefined) handlers.onNotification(method, message['params']);
      else answer(id, method, message['params']);
      return;
    }
    const asked = typeof id === 'number' ? pending.get(id) : undefined;
    if (asked === undefined) return;
    pending.delete(id as number);
    if (error === undefined) asked.resolve(message['result']);
    else asked.reject(new AcpError(`${asked.method}: ${error.message}${detail(error.data)}`));
  }

  const lines = createJsonLines({
    onValue: receive,
    onText: (line) => printed.add(`${line}\n`),
    onTooLong: () => endAll(new AcpError('It sent a message that is too long to be read.')),
  });
  process.stdout.on('data', lines.add);
  process.stderr.setEncoding('utf8').on('data', printed.add);
  process.stdin.on('error', () => undefined);
  process.ended.then(
    (ending) => {
      lines.end();
      const why =
        ending.kind === 'exited'
          ? `It ended with exit code ${ending.exitCode} before it was done.`
          : ending.kind === 'limit'
            ? ending.text
            : ending.kind === 'unstartable'
              ? ending.message
              : 'It was ended.';
      endAll(new AcpError(why));
    },
    () => endAll(new AcpError('It was ended.')),
  );

  return {
    async request(method, params, timeoutMs) {
      if (over !== undefined) throw over;
      const id = nextId++;
      const answered = Promise.withResolvers<unknown>();
      pending.set(id, { method, resolve: answered.resolve, reject: answered.reject });
      send({ id, method, params });
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => {
              pending.delete(id);
              const seconds = Math.round(timeoutMs / 1000);
              answered.reject(new AcpError(`It did not answer ${method} in ${seconds} seconds.`));
            }, timeoutMs);
      try {
        return await answered.promise;
      } finally {
        clearTimeout(timer);
      }
    },
    printed: () => printed.end(),
  };
}

/** Agents put what went wrong here as often as into the message. */
function detail(data: unknown): string {
  if (data === undefined || data === null) return '';
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return ` (${text.slice(0, 500)})`;
}
