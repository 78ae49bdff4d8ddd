import type { Protocol } from '../../wire/protocol.ts';
import { writeAnthropic } from './write-anthropic.ts';
import { writeChat } from './write-chat.ts';
import { writeGoogle } from './write-google.ts';
import { writeResponses } from './write-responses.ts';
import type { ReplyHead, Writer } from './writer.ts';

export function createWriter(protocol: Protocol, head: ReplyHead, isSse: boolean): Writer {
  switch (protocol) {
    case 'anthropic':
      return writeAnthropic(head);
    case 'chat':
      return writeChat(head);
    case 'responses':
      return writeResponses(head);
    case 'google':
      return writeGoogle(head, isSse);
  }
}
