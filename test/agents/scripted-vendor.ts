// The vendors of the agents, on loopback: a model that plays a script, and counts what it was asked and what it reported.
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../src/config/config.ts';
import type { Protocol } from '../../src/providers/wire/protocol.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawAnswer, RawCall, RawVendor } from '../support/raw-vendor.ts';
import { speak, speakWhole } from './speech.ts';
import type { Turn, Used } from './speech.ts';

export interface VendorCall {
  raw: RawCall;
  /** That it was shown by then. */
  results: number;
  /** In the order of arrival, as the answer reports it. */
  used: Used;
  /** Nothing of the answer after this comes. */
  isHeld: boolean;
}

export interface Script {
  /** What the agent's tool is called: calls without it are about titles and the like. Undefined where it has no tools. */
  tool?: string | undefined;
  /** By the number of tool results that the conversation has; in `others`, since these words were said. */
  turns: readonly Turn[];
  /** Other turns, for calls whose text has these words. */
  others?: Readonly<Record<string, readonly Turn[]>>;
  /** Each answer, before it begins. */
  takesMs?: number;
  /** The last turn begins and never ends. */
  holdsLast?: boolean;
}

export interface ScriptedVendor {
  url: string;
  /** Of a server whose vendors it is. */
  settings: Pick<Config, 'baseUrls' | 'operatorKeys'>;
  calls: VendorCall[];
  /** All that arrived, counts of tokens and lists as well. */
  raw: RawVendor;
  play(script: Script): void;
  close(): Promise<void>;
}

const now = Promise.resolve();

const RESULT: Readonly<Record<string, RegExp>> = {
  anthropic: /"type":\s*"tool_result"/g,
  responses: /"type":\s*"function_call_output"/g,
  google: /"functionResponse":/g,
};

function protocolOf({ method, path }: RawCall): Protocol | undefined {
  if (method !== 'POST') return undefined;
  if (/^\/v1\/messages(?:\?|$)/.test(path)) return 'anthropic';
  if (path === '/v1/responses') return 'responses';
  return /:(?:streamG|g)enerateContent(?:\?|$)/.test(path) ? 'google' : undefined;
}

/** What the vendors answer at the other addresses that the endpoint passes on. */
function unscripted({ path }: RawCall): RawAnswer {
  if (path.includes('count_tokens')) return { pieces: ['{"input_tokens":1000}'] };
  if (path.includes(':countTokens')) return { pieces: ['{"totalTokens":1000}'] };
  return { pieces: ['{"data":[],"models":[]}'] };
}

export async function startScriptedVendor(): Promise<ScriptedVendor> {
  const raw = await startRawVendor();
  const calls: VendorCall[] = [];
  let script: Script = { turns: [] };
  const over = Promise.withResolvers<void>();

  function answer(call: RawCall): RawAnswer {
    const protocol = protocolOf(call);
    if (protocol === undefined) return unscripted(call);
    const text = call.body.toString();
    const body = JSON.parse(text) as { model?: string; stream?: boolean };
    const isMain = script.tool === undefined || text.includes(`"name":"${script.tool}"`);
    const other = Object.entries(script.others ?? {}).find(([words]) => text.includes(words));
    // What came before is another task of the same conversation.
    const since = other === undefined ? text : text.slice(text.lastIndexOf(other[0]));
    const results = [...since.matchAll(RESULT[protocol]!)].length;
    const turns = other?.[1] ?? script.turns;
    const turn = (isMain ? turns[results] : undefined) ?? { text: 'A title' };
    const isHeld = isMain && script.holdsLast === true && results === turns.length - 1;
    // No two calls report the same, so that sums tell which ones are in them.
    const number = calls.length + 1;
    const used = { input: 2000 + 17 * number, cached: 300 + 5 * number, output: 40 + number };
    calls.push({ raw: call, results, used, isHeld });
    const model = body.model ?? /models\/([^:]+):/.exec(call.path)?.[1] ?? '';
    const spoken = { id: `${process.pid}_${number}`, model, turn, used };
    const isStream = protocol === 'google' ? call.path.includes('alt=sse') : body.stream === true;
    const wait = () => delay(script.takesMs ?? 0);
    if (!isStream) return { pieces: [speakWhole(protocol, spoken)], before: wait };
    const pieces = speak(protocol, spoken);
    const said = pieces.findIndex((piece) => piece.includes(turn.text));
    return {
      headers: { 'content-type': 'text/event-stream' },
      pieces,
      before: (index) => (isHeld && index > said ? over.promise : index === 0 ? wait() : now),
    };
  }
  raw.answer(answer);

  return {
    url: raw.url,
    settings: {
      baseUrls: {
        anthropic: `${raw.url}/v1`,
        openai: `${raw.url}/v1`,
        google: `${raw.url}/v1beta`,
      },
      operatorKeys: {
        anthropic: 'operator-key-a',
        openai: 'operator-key-o',
        google: 'operator-key-g',
      },
    },
    calls,
    raw,
    play(next) {
      script = next;
      calls.length = 0;
      raw.calls.length = 0;
    },
    async close() {
      over.resolve();
      await raw.close();
    },
  };
}
