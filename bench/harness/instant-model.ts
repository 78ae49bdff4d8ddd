// A model server that answers at once with the same bytes, at the least cost: in Anthropic's streaming
// format, and in OpenAI's chat format, streamed and whole.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endWithParent } from './end-with-parent.ts';

const TEXT = 'All is well.';
const USAGE = { input: 12, output: 4 };

function named(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const anthropic = [
  named({
    type: 'message_start',
    message: {
      id: 'msg_bench',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: USAGE.input, output_tokens: 1 },
    },
  }),
  named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } }),
  named({ type: 'content_block_stop', index: 0 }),
  named({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
  }),
  named({ type: 'message_stop' }),
].join('');

const usage = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
};

function chunk(choices: object[], rest: object = {}): string {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_790_000_000 };
  return `data: ${JSON.stringify({ ...head, model: 'bench', choices, ...rest })}\n\n`;
}

const chatStream = [
  chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
  chunk([{ index: 0, delta: { content: TEXT }, finish_reason: null }]),
  chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  chunk([], { usage }),
  'data: [DONE]\n\n',
].join('');

const chat = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: TEXT },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
});

const answers = {
  anthropic: { type: 'text/event-stream; charset=utf-8', body: Buffer.from(anthropic) },
  chatStream: { type: 'text/event-stream; charset=utf-8', body: Buffer.from(chatStream) },
  chat: { type: 'application/json', body: Buffer.from(chat) },
};

function kindOf(url: string, body: string): keyof typeof answers {
  if (!url.endsWith('/chat/completions')) return 'anthropic';
  return /"stream":\s*true/.test(body) ? 'chatStream' : 'chat';
}

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  let asked = '';
  request.setEncoding('latin1').on('data', (text: string) => (asked += text));
  request.on('end', () => {
    const { type, body } = answers[kindOf(request.url ?? '', asked)];
    response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
  });
});

endWithParent();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ ready: { url: `http://127.0.0.1:${port}` } });
});
