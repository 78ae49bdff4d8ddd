// A model vendor of one test: a real HTTP server that speaks chat completions, and answers with what
// a function makes of the prompt.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ModelCall {
  model: string;
  prompt: string;
  maxTokens: number | undefined;
  /** As they were sent. */
  messages: readonly SentMessage[];
  serviceTier: string | undefined;
  /** From 1, over all calls. */
  number: number;
}

/** Of a conversation with tools. */
export interface SentMessage {
  role: string;
  content: string | { text?: string }[];
  tool_call_id?: string;
}

export interface ScriptedCall {
  name: string;
  /** JSON, unless a text says otherwise. */
  args: object | string;
}

export type Scripted =
  | string
  | {
      text: string;
      isCutOff?: boolean;
      isRefused?: boolean;
      status?: number;
      /** Seconds that it asks to wait. */
      retryAfter?: number;
      calls?: ScriptedCall[];
    };

export interface ScriptedModel {
  url: string;
  calls: ModelCall[];
  /** What it says of itself, by path; whatever is not here is not found. */
  pages: Map<string, object>;
  /** Requests that are no calls of a model, in their order. */
  visits: string[];
  /** What it answers from now on. */
  answer(script: (call: ModelCall) => Scripted | Promise<Scripted>): void;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function promptOf({ messages = [] }: { messages?: SentMessage[] }): string {
  const texts = messages.map(({ content }) =>
    typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''),
  );
  return texts.join('\n\n');
}

/** About four characters a token, as most vendors have it. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);

export async function startScriptedModel(): Promise<ScriptedModel> {
  let script: (call: ModelCall) => Scripted | Promise<Scripted> = () => '';
  const calls: ModelCall[] = [];
  const pages = new Map<string, object>([['/v1/models', { data: [] }]]);
  const visits: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const [path = ''] = (request.url ?? '').split('?');
      if (path !== '/v1/chat/completions') {
        visits.push(`${request.method} ${request.url}`);
        const page = pages.get(path);
        response.writeHead(page ? 200 : 404, { 'content-type': 'application/json' });
        response.end(JSON.stringify(page ?? { error: 'not found' }));
        return;
      }
      const prompt = promptOf(body);
      const maxTokens = (body['max_completion_tokens'] ?? body['max_tokens']) as number | undefined;
      const call = {
        model: String(body['model']),
        prompt,
        messages: (body['messages'] ?? []) as SentMessage[],
        maxTokens,
        serviceTier: body['service_tier'] as string | undefined,
        number: calls.length + 1,
      };
      calls.push(call);
      const said = await script(call);
      const {
        text,
        isCutOff = false,
        isRefused = false,
        status = 200,
        retryAfter,
        calls: toolCalls = [],
      } = typeof said === 'string' ? { text: said } : said;
      if (status !== 200) {
        const error = JSON.stringify({ error: { message: text, type: 'server_error' } });
        const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
        response.writeHead(status, { 'content-type': 'application/json', ...wait }).end(error);
        return;
      }
      const send = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`);
      const of = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
      // With tools there is more to read and to write than texts.
      const { tools, messages } = body;
      const read = tools === undefined ? prompt : JSON.stringify([tools, messages]);
      const written = toolCalls.length === 0 ? text : `${text}${JSON.stringify(toolCalls)}`;
      const usage = { prompt_tokens: tokensOf(read), completion_tokens: tokensOf(written) };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const called = toolCalls.map(({ name, args }, index) => ({
        index,
        id: `call_${call.number}_${index}`,
        type: 'function',
        function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
      }));
      const output = {
        role: 'assistant',
        content: text,
        ...(called.length > 0 && { tool_calls: called }),
      };
      send({ ...of, choices: [{ index: 0, delta: output, finish_reason: null }] });
      const usual = called.length > 0 ? 'tool_calls' : 'stop';
      const reason = isRefused ? 'content_filter' : isCutOff ? 'length' : usual;
      send({ ...of, choices: [{ index: 0, delta: {}, finish_reason: reason }] });
      const total = usage.prompt_tokens + usage.completion_tokens;
      send({ ...of, choices: [], usage: { ...usage, total_tokens: total } });
      response.end('data: [DONE]\n\n');
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    pages,
    visits,
    answer: (next) => void (script = next),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
