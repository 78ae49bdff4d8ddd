import type { Dialect } from './dialect.ts';
import { writeAnthropic } from './write-anthropic.ts';
import { writeChat } from './write-chat.ts';
import { writeGoogle } from './write-google.ts';
import { writeResponses } from './write-responses.ts';
import type { ReplyHead, Writer } from './writer.ts';

export function createWriter(dialect: Dialect, head: ReplyHead, isSse: boolean): Writer {
  switch (dialect) {
    case 'anthropic':
      return writeAnthropic(head);
    case 'chat':
      return writeChat(head, false);
    case 'openrouter':
      return writeChat(head, true);
    case 'responses':
      return writeResponses(head);
    case 'google':
      return writeGoogle(head, isSse);
  }
}
