// What a request says, read as its protocol means it.
import type { CallFacts } from '../domain/call/call-facts.ts';
import { UnreadableCall } from '../domain/call/fields.ts';
import { readAnthropicCall } from '../domain/call/read-anthropic.ts';
import { readChatCall } from '../domain/call/read-chat.ts';
import { readGoogleCall } from '../domain/call/read-google.ts';
import { readResponsesCall } from '../domain/call/read-responses.ts';
import { problemOfJson } from '../domain/call/scan-json.ts';
import type { ModelRequest } from './caller.ts';
import { CallRefusal } from './refusal.ts';
import { isUtf8 } from 'node:buffer';

function parse(body: Buffer): unknown {
  if (!isUtf8(body)) throw new CallRefusal('invalid', 'The body is not valid UTF-8.');
  const problem = problemOfJson(body);
  if (problem !== undefined) throw new CallRefusal('invalid', problem);
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new CallRefusal('invalid', 'The body is not valid JSON.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new CallRefusal('invalid', 'The body is not a JSON object.');
}

function factsOf(request: ModelRequest, body: unknown): CallFacts {
  switch (request.protocol) {
    case 'anthropic':
      return readAnthropicCall(body);
    case 'chat':
      return readChatCall(body);
    case 'responses':
      return readResponsesCall(body);
    case 'google':
      return readGoogleCall(body, {
        model: request.pathModel ?? '',
        isStream: request.isStreamPath,
        hidesUsage: request.hidesUsage,
      });
  }
}

export interface ReadCall {
  facts: CallFacts;
  /** Decoded. */
  bytes: number;
  body: unknown;
}

export function readCall(request: ModelRequest, body: Buffer): ReadCall {
  const value = parse(body);
  try {
    return { facts: factsOf(request, value), bytes: body.length, body: value };
  } catch (error) {
    if (error instanceof UnreadableCall) throw new CallRefusal('invalid', error.message);
    throw error;
  }
}
