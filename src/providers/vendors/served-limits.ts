// How much a model takes in and gives, where its server says so: servers that people run themselves, whose limits depend
// on how they were started, and OpenRouter. Other vendors' models are in the facts. A server that does not say it, is slow
// or is down changes nothing.
//
//   vLLM, OpenRouter   GET  /v1/models      max_model_len; context_length and top_provider
//   Ollama             GET  /api/ps         context_length of a model that is loaded
//                      POST /api/show       num_ctx among its parameters, else what the model was made for
//   LM Studio          GET  /api/v0/models  loaded_context_length, else max_context_length
//   llama.cpp          GET  /props          n_ctx of one conversation
import { z } from 'zod';
import { createCache } from '../../platform/cache.ts';
import type { VendorEndpoint } from './endpoint.ts';
import { keyHeaders } from './key-headers.ts';
import { readSome } from './read-some.ts';

export interface ServedLimits {
  /** Input and output together. */
  contextTokens: number | null;
  maxOutputTokens: number | null;
}

/** For all questions about a model together: a run waits for it. */
const DEADLINE_MS = 2000;
/** A model may be loaded anew with another window. */
const KEPT_MS = 60_000;
const MAX_KEPT = 500;
/** OpenRouter's list has half a megabyte. */
const MAX_BODY = 4 * 1024 * 1024;

const tokens = z.int().positive().optional().catch(undefined);
const Entry = z
  .object({
    id: z.string(),
    max_model_len: tokens,
    context_length: tokens,
    context_window: tokens,
    max_context_length: tokens,
    loaded_context_length: tokens,
    top_provider: z
      .object({ context_length: tokens, max_completion_tokens: tokens })
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);
const List = z.object({ data: z.array(Entry) });
type List = z.infer<typeof List>;

const Loaded = z.object({
  models: z.array(
    z.object({ name: z.string(), context_length: tokens }).optional().catch(undefined),
  ),
});
const Shown = z.object({
  parameters: z.string().optional().catch(undefined),
  model_info: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
const Props = z.object({ default_generation_settings: z.object({ n_ctx: tokens }) });

const listed = ({ data }: List, model: string) => data.find((entry) => entry?.id === model);

function fromList(list: List | undefined, model: string): ServedLimits | undefined {
  const entry = list && listed(list, model);
  if (entry === undefined) return undefined;
  const { top_provider: top } = entry;
  const contextTokens =
    entry.max_model_len ?? top?.context_length ?? entry.context_length ?? entry.context_window;
  if (contextTokens === undefined) return undefined;
  return { contextTokens, maxOutputTokens: top?.max_completion_tokens ?? null };
}

const PARAMETER = /^num_ctx\s+(\d{1,9})\s*$/m;
const TRAINED = /\.context_length$/;

function fromShown({ parameters = '', model_info: info = {} }: z.infer<typeof Shown>) {
  const set = PARAMETER.exec(parameters)?.[1];
  const trained = Object.entries(info).find(([name]) => TRAINED.test(name))?.[1];
  return tokens.parse(set === undefined ? trained : Number(set));
}

/** Ollama's name of a model that has no tag. */
const tagged = (model: string) => (model.includes(':') ? model : `${model}:latest`);

export function createServedLimits(endpoint: VendorEndpoint, deadlineMs = DEADLINE_MS) {
  const { provider, baseUrl } = endpoint;
  const isOwnServer = provider === 'openai' && endpoint.custom;
  const root = baseUrl.replace(/\/v\d+$/, '');
  const kept = createCache<Promise<unknown>>({ entries: MAX_KEPT, ttl: KEPT_MS });

  /** One question at a time, however many wait for its answer. */
  function once<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const known = kept.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const asked = ask();
    kept.set(name, asked);
    return asked;
  }

  interface Question {
    key: string | undefined;
    signal: AbortSignal;
    body?: object;
  }

  async function ask<T>(url: string, shape: z.ZodType<T>, question: Question) {
    const { key, signal, body } = question;
    const headers = {
      ...keyHeaders(provider, key),
      ...(body && { 'content-type': 'application/json' }),
    };
    const sent = body ? ({ method: 'POST', body: JSON.stringify(body) } as const) : {};
    try {
      const answer = await endpoint.http.send(url, { ...sent, headers, signal });
      const text = await readSome(answer.body, MAX_BODY);
      return answer.status === 200 ? shape.safeParse(JSON.parse(text)).data : undefined;
    } catch {
      return undefined;
    }
  }

  async function ofOwnServer(model: string, question: Question): Promise<number | undefined> {
    const [loaded, shown, rest, props] = await Promise.all([
      ask(`${root}/api/ps`, Loaded, question),
      ask(`${root}/api/show`, Shown, { ...question, body: { model } }),
      ask(`${root}/api/v0/models`, List, question),
      // A server of several models would load this one for the question.
      ask(`${root}/props?model=${encodeURIComponent(model)}&autoload=false`, Props, question),
    ]);
    const running = loaded?.models.find((each) => each?.name === tagged(model));
    const entry = rest && listed(rest, model);
    return (
      running?.context_length ??
      (shown && fromShown(shown)) ??
      entry?.loaded_context_length ??
      entry?.max_context_length ??
      props?.default_generation_settings.n_ctx
    );
  }

  async function find(model: string, key: string | undefined): Promise<ServedLimits | undefined> {
    if (!isOwnServer && provider !== 'openrouter') return undefined;
    const question = { key, signal: AbortSignal.timeout(deadlineMs) };
    const list = await once('list', () => ask(`${baseUrl}/models`, List, question));
    const found = fromList(list, model);
    if (found !== undefined || !isOwnServer) return found;
    const contextTokens = await once(`model ${model}`, () => ofOwnServer(model, question));
    return contextTokens === undefined ? undefined : { contextTokens, maxOutputTokens: null };
  }

  return { find };
}
