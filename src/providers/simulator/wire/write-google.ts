import { isRecord } from './loose-json.ts';
import type { Part } from './speak.ts';
import type { ReplyEnd, ReplyHead, Writer } from './writer.ts';

const FINISH_REASONS: Readonly<Record<ReplyEnd['finish'], string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // A call is an ordinary end here: clients look at the parts.
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  stop_sequence: 'STOP',
};

/** Clients have to send it back with the call; what is in it is up to the vendor. */
const SIGNATURE = Buffer.from('simulated').toString('base64');

/** Events with `alt=sse`, whose lines this vendor ends as HTTP does; otherwise one array, element by element. */
export function writeGoogle(head: ReplyHead, isSse: boolean): Writer {
  let hasBegun = false;
  let output = 0;
  const frame = (data: object) => {
    if (isSse) return `data: ${JSON.stringify(data)}\r\n\r\n`;
    const before = hasBegun ? ',\r\n' : '[';
    hasBegun = true;
    return before + JSON.stringify(data);
  };
  const answer = (parts: object[], said: number, finishReason?: string) => ({
    candidates: [
      {
        content: { parts, role: 'model' },
        ...(finishReason !== undefined && { finishReason }),
        index: 0,
      },
    ],
    usageMetadata: usageOf(head, said),
    modelVersion: head.model,
    responseId: head.id,
  });

  return {
    open: () => '',
    begin: () => '',
    // Calls come whole.
    piece(part, text, so) {
      output = so;
      return part.call === undefined ? frame(answer([{ text }], output)) : '';
    },
    end: (part) => (part.call === undefined ? '' : frame(answer([callOf(head.id, part)], output))),
    close: (end) =>
      frame(answer([{ text: '' }], end.output, FINISH_REASONS[end.finish])) + (isSse ? '' : ']'),
    failure: ({ error }) => frame({ error }) + (isSse ? '' : ']'),
    whole: (end, parts) =>
      answer(
        parts.map((part) =>
          part.call === undefined ? { text: part.text } : callOf(head.id, part),
        ),
        end.output,
        FINISH_REASONS[end.finish],
      ),
  };
}

function callOf(id: string, { call, text }: Part): object {
  return {
    functionCall: { id: `${id}${call?.index ?? 0}`, name: call?.name, args: readArguments(text) },
    thoughtSignature: SIGNATURE,
  };
}

function readArguments(text: string): object {
  try {
    const given: unknown = JSON.parse(text);
    return isRecord(given) ? given : {};
  } catch {
    return {};
  }
}

function usageOf({ input, cacheRead }: ReplyHead, output: number): object {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    ...(cacheRead > 0 && {
      cachedContentTokenCount: cacheRead,
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cacheRead }],
    }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
    thoughtsTokenCount: 0,
  };
}
