// Reads many streams with the package that Millrace calls vendors with, and with nothing around it.
import { createAnthropic } from '@ai-sdk/anthropic';
import { cpuMs } from './clock.ts';

export interface ReadRequest {
  baseUrl: string;
  model: string;
  prompt: string;
  maxTokens: number;
  count: number;
}

async function read({ baseUrl, model, prompt, maxTokens }: ReadRequest): Promise<boolean> {
  const { stream } = await createAnthropic({ apiKey: 'sk-ant-bench-key', baseURL: baseUrl })(
    model,
  ).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    maxOutputTokens: maxTokens,
    includeRawChunks: true,
  });
  let text = '';
  let finished = false;
  for await (const part of stream) {
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'finish') finished = part.finishReason.unified === 'stop';
  }
  return finished && text !== '';
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
