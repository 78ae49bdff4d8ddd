// A call in the form of chat completions: of OpenRouter, and of servers of the operator's own, which may refuse fields that
// they do not know.
import type { PromptText } from '../prompt-layout.ts';
import { chatTurn } from '../turns/chat.ts';
import type { CallSettings } from './settings.ts';

function part({ text, mark }: PromptText) {
  const cache = { type: 'ephemeral', ...(mark === 'hour' && { ttl: '1h' }) };
  return { type: 'text', text, ...(mark !== undefined && { cache_control: cache }) };
}

/** Simple servers take nothing but a text. */
function content(parts: readonly PromptText[]) {
  const [only] = parts;
  return parts.length === 1 && only?.mark === undefined ? only!.text : parts.map(part);
}

function messages({ prompt: { system, user } }: CallSettings) {
  return [
    ...(system === undefined ? [] : [{ role: 'system', content: content([system]) }]),
    ...(user.length === 0 ? [] : [{ role: 'user', content: content(user) }]),
  ];
}

function thinking({ provider, thinking }: CallSettings) {
  if (thinking === undefined || thinking.kind === 'budget') return {};
  // Left out by OpenRouter where the model has no use for it.
  if (provider === 'openrouter') return { reasoning: { effort: thinking.word } };
  return { reasoning_effort: thinking.word };
}

function asked(settings: CallSettings) {
  const { provider, model, conversation } = settings;
  if (conversation) return chatTurn(conversation, { provider, model, format: 'chat' });
  return { messages: messages(settings) };
}

export function chatBody(settings: CallSettings): object {
  const { provider, model, maxTokens, temperature, serviceTier } = settings;
  const isOwnServer = provider === 'openai';
  return {
    model,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...thinking(settings),
    // Only who asks for flex sends it.
    ...(isOwnServer && serviceTier === 'flex' && { service_tier: 'flex' }),
    stream: true,
    // OpenRouter counts unasked.
    ...(isOwnServer && { stream_options: { include_usage: true } }),
    // Last, so that the request of a turn begins with that of the turn before.
    ...asked(settings),
  };
}
