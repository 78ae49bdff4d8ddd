// Reads many streams with the reader that jobs use, and with nothing around it.
import { createAnswerReader } from '../../src/providers/wire/create-reader.ts';
import { createEventFeed } from '../../src/providers/wire/feed.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { cpuMs } from './clock.ts';

export interface ReadRequest {
  baseUrl: string;
  model: string;
  prompt: string;
  maxTokens: number;
  count: number;
}

const http = createVendorHttp();

async function read({ baseUrl, model, prompt, maxTokens }: ReadRequest): Promise<boolean> {
  let text = '';
  const reader = createAnswerReader('anthropic', (delta) => {
    if (delta.kind === 'text') text += delta.text;
  });
  const feed = createEventFeed(reader);
  const answer = await http.send(`${baseUrl}/messages`, {
    method: 'POST',
    headers: {
      'x-api-key': 'sk-ant-bench-key',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      model,
      max_tokens: maxTokens,
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      stream: true,
    }),
  });
  for await (const chunk of answer.body) feed.write(chunk);
  return reader.answer.isComplete && reader.answer.finish === 'stop' && text !== '';
}

process.on('message', (message: { ask?: string; read?: ReadRequest }) => {
  if (message.ask === 'stop') process.exit(0);
  const { read: request } = message;
  if (request === undefined) return;
  const before = cpuMs();
  const reads = Array.from({ length: request.count }, () => read(request));
  void Promise.allSettled(reads).then((settled) => {
    const whole = settled.filter((each) => each.status === 'fulfilled' && each.value).length;
    process.send?.({ done: { cpuMs: cpuMs() - before, whole } });
  });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: {} });
