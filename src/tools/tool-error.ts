// What a tool could not do, in the form that assistants read: a code, what happened, what to do.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { MillraceConnectionError, MillraceError } from '../client/index.ts';
import { OrchestratorError } from '../orchestrator/index.ts';
import { clip } from './bounds.ts';

export class ToolError extends Error {
  readonly code: string;
  /** What happened, without what to do about it. */
  readonly sentence: string;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  /** As the server said. */
  readonly retryAfterSeconds: number | undefined;

  /** `message` is a sentence and `hint` says what to do about it. */
  constructor(problem: {
    code: string;
    message: string;
    hint?: string;
    retryable?: boolean;
    requestId?: string | undefined;
    retryAfterSeconds?: number | undefined;
    cause?: unknown;
  }) {
    const { message, hint, cause } = problem;
    const sentence = message.replace(/[.!?]?$/, (end) => end || '.');
    super(hint === undefined ? sentence : `${sentence} ${hint}`, { cause });
    this.name = 'ToolError';
    this.code = problem.code;
    this.sentence = sentence;
    this.hint = hint;
    this.retryable = problem.retryable ?? false;
    this.requestId = problem.requestId;
    this.retryAfterSeconds = problem.retryAfterSeconds;
  }
}

const HINTS: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Ask the user to run `millrace login`, or to set MILLRACE_API_KEY.',
  FORBIDDEN: 'Ask the user for a key that is allowed to do this.',
  QUOTA_EXCEEDED: 'Tell the user; see what was used with `millrace usage`.',
  RATE_LIMITED: 'Wait a minute, then call again.',
  NOT_FOUND: 'Check the id, or use "latest" for an execution.',
  PAYLOAD_TOO_LARGE: 'Send fewer or smaller files.',
  NO_DEFAULT_MODEL: 'Ask the user to set a model with `millrace config set model ID`.',
  NO_PROVIDER_KEY: 'Ask the user to add a key with `millrace keys add PROVIDER`.',
  PROVIDER_AUTH: 'Ask the user to replace the key with `millrace keys add PROVIDER`.',
  INTERNAL_ERROR: 'Call again in a minute.',
  SERVICE_UNAVAILABLE: 'Call again in a few seconds.',
};

export function hintFor(...codes: (string | undefined)[]): { hint?: string } {
  const code = codes.find((each) => each !== undefined && Object.hasOwn(HINTS, each));
  return code === undefined ? {} : { hint: HINTS[code]! };
}

export function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (error instanceof MillraceError) {
    const { details, message, requestId, retryable, retryAfterMs } = error;
    const first = Array.isArray(details)
      ? (details[0] as { code?: string } | undefined)
      : undefined;
    const retryAfterSeconds =
      retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000));
    const hint =
      retryAfterSeconds === undefined
        ? hintFor(first?.code, error.code)
        : { hint: `Wait ${retryAfterSeconds} s, then call again.` };
    return new ToolError({
      code: error.code,
      message,
      ...hint,
      retryable,
      requestId,
      retryAfterSeconds,
    });
  }
  if (error instanceof MillraceConnectionError) {
    return new ToolError({
      code: 'SERVER_UNREACHABLE',
      message: `Could not reach the Millrace server: ${error.message}`,
      hint: 'Ask the user to start it with `millrace serve`, or to check MILLRACE_URL. Then call again.',
      retryable: true,
      cause: error,
    });
  }
  if (error instanceof OrchestratorError) {
    const isKey = error.code === 'NO_API_KEY';
    const hint = isKey ? HINTS['UNAUTHORIZED'] : error.hint;
    return new ToolError({
      code: isKey ? 'CONFIG_MISSING' : error.code,
      message: error.message,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  // Parts are loaded when they are needed; an update in the meantime has replaced them.
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND') {
    return new ToolError({
      code: 'RESTART_NEEDED',
      message: 'Millrace was updated while this session was open.',
      hint: 'Ask the user to restart the assistant, or to reconnect the server.',
      cause: error,
    });
  }
  return new ToolError({ code: 'FAILED', message, cause: error });
}

/** An error can quote what a server or a file says. */
const MOST_MESSAGE = 4000;

/** No structured output: older clients check it against the schema even then. */
export function errorResult(error: ToolError): CallToolResult {
  const { code, message, retryable, requestId, retryAfterSeconds } = error;
  // Fields that are not known are not written.
  const more = JSON.stringify({ error: { code, retryable, retryAfterSeconds, requestId } });
  const text = `${code}: ${clip(message, MOST_MESSAGE)}\n${more}`;
  return { isError: true, content: [{ type: 'text', text }] };
}
