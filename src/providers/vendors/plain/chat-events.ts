// The events of a plain answer in the form of chat completions, which most servers of one's own speak.
import type { JSONObject } from '@ai-sdk/provider';
import type { Received } from '../received.ts';
import { readTier } from '../service-tier.ts';
import { fieldsOf } from './plain-reader.ts';
import type { PlainReader } from './plain-reader.ts';

const FINISHES = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
]);

const KNOWN = new Set(['role', 'content', 'reasoning', 'reasoning_content']);
const THOUGHTS = ['reasoning_content', 'reasoning'] as const;

type Fields = Record<string, unknown>;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isKnownFinish = (value: unknown): value is string =>
  typeof value === 'string' && FINISHES.has(value);
const isAbsent = (value: unknown) => value == null || (Array.isArray(value) && value.length === 0);

/** Nothing but text and thought. */
function isPlainDelta(delta: Fields): boolean {
  return Object.entries(delta).every(
    ([name, value]) => isAbsent(value) || (KNOWN.has(name) && typeof value === 'string'),
  );
}

const countIn = (fields: Fields | undefined, name: string): number | undefined => {
  const value = fields?.[name];
  return value == null ? 0 : typeof value === 'number' ? value : undefined;
};

export function createChatReader(received: Received, onText: (delta: string) => void): PlainReader {
  const replay: unknown[] = [];
  let usage: Fields | undefined;
  let finish: string | undefined;

  function takeDelta(delta: Fields): void {
    const { content } = delta;
    const thought = THOUGHTS.map((name) => delta[name]).find(isText);
    if (thought !== undefined) received.thought += thought;
    if (isText(content)) {
      received.text += content;
      onText(content);
    } else onText('');
    received.began ||= thought !== undefined || isText(content);
  }

  function usageOf(fields: Fields): Received['usage'] {
    const cached = countIn(fieldsOf(fields['prompt_tokens_details']), 'cached_tokens');
    const input = countIn(fields, 'prompt_tokens');
    return {
      inputTokens: { total: input, noCache: undefined, cacheRead: cached, cacheWrite: undefined },
      outputTokens: {
        total: countIn(fields, 'completion_tokens'),
        text: undefined,
        reasoning: undefined,
      },
      raw: fields as JSONObject,
    };
  }

  return {
    take(event) {
      const fields = fieldsOf(event);
      const choices = fields?.['choices'];
      if (fields === undefined || 'error' in fields || !Array.isArray(choices)) return false;
      const reported = fieldsOf(fields['usage']);
      if (choices.length > 1 || (reported === undefined && fields['usage'] != null)) return false;
      const choice = choices.length === 0 ? {} : fieldsOf(choices[0]);
      const delta = choice?.['delta'] == null ? {} : fieldsOf(choice['delta']);
      const reason = choice?.['finish_reason'] ?? undefined;
      if (choice === undefined || delta === undefined || !isPlainDelta(delta)) return false;
      if (reason !== undefined && !isKnownFinish(reason)) return false;
      takeDelta(delta);
      received.tier = readTier(fields['service_tier']) ?? received.tier;
      usage = reported ?? usage;
      finish = reason ?? finish;
      if (reported !== undefined || reason !== undefined) {
        const bare = choices.length === 0 ? [] : [{ ...choice, delta: {} }];
        replay.push({ ...fields, choices: bare });
      }
      return true;
    },
    isComplete() {
      if (finish === undefined) return false;
      received.finish = FINISHES.get(finish);
      received.finishRaw = finish;
      received.usage = usage && usageOf(usage);
      return true;
    },
    // A line that is no event says so.
    hasEnded: () => false,
    replay: () => replay,
  };
}
