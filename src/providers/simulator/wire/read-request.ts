import type { Protocol } from '../../wire/protocol.ts';
import { RefusedBody } from './conversation.ts';
import type { Conversation } from './conversation.ts';
import { isRecord, name } from './loose-json.ts';
import { readAnthropic } from './read-anthropic.ts';
import { readChat } from './read-chat.ts';
import { readGoogle } from './read-google.ts';
import { readResponses } from './read-responses.ts';

/** Throws `RefusedBody` for what the vendor would refuse. */
export function readRequest(
  protocol: Protocol,
  body: unknown,
  asked: { model: string | undefined; isCount: boolean },
): Conversation {
  if (!isRecord(body)) throw new RefusedBody('The body must be a JSON object.');
  const model = asked.model ?? name(body.model);
  if (model === undefined) throw new RefusedBody("Missing required parameter: 'model'.", 'model');
  return { model, ...readAs(protocol, body, asked.isCount) };
}

function readAs(protocol: Protocol, body: Record<string, unknown>, isCount: boolean) {
  switch (protocol) {
    case 'anthropic':
      return readAnthropic(body, isCount);
    case 'chat':
      return readChat(body);
    case 'responses':
      return readResponses(body);
    case 'google':
      return readGoogle(body);
  }
}
