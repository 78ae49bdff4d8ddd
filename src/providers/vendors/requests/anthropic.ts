// A call in the form of Anthropic's messages.
import type { PromptText } from '../prompt-layout.ts';
import { anthropicTurn } from '../turns/anthropic.ts';
import type { CallSettings } from './settings.ts';

function block({ text, mark }: PromptText) {
  const cache = { type: 'ephemeral', ...(mark === 'hour' && { ttl: '1h' }) };
  return { type: 'text', text, ...(mark !== undefined && { cache_control: cache }) };
}

function thinking({ thinking }: CallSettings) {
  if (thinking === undefined) return {};
  if (thinking.kind === 'budget') {
    return { thinking: { type: 'enabled', budget_tokens: thinking.tokens } };
  }
  return {
    // Without it the newest models keep their thoughts to themselves: nothing shows that they work.
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: thinking.word },
  };
}

function asked({ provider, model, prompt, conversation }: CallSettings) {
  if (conversation) return anthropicTurn(conversation, { provider, model, format: 'anthropic' });
  return {
    ...(prompt.system && { system: [block(prompt.system)] }),
    messages: prompt.user.length === 0 ? [] : [{ role: 'user', content: prompt.user.map(block) }],
  };
}

export function anthropicBody(settings: CallSettings): object {
  const { model, maxTokens, temperature } = settings;
  return {
    model,
    max_tokens: maxTokens,
    // More than 1 is refused, and others take up to 2.
    ...(temperature !== undefined && { temperature: Math.min(1, temperature) }),
    ...thinking(settings),
    stream: true,
    // Last, so that the request of a turn begins with that of the turn before.
    ...asked(settings),
  };
}
