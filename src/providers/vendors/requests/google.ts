// A call in the form of Google's generateContent.
import { googleTurn } from '../turns/google.ts';
import type { CallSettings } from './settings.ts';

/** Open models, which have no place for a system part. */
const WITHOUT_SYSTEM = /^(?:models\/)?gemma-/i;

function thinking({ thinking }: CallSettings) {
  if (thinking === undefined) return {};
  const config =
    thinking.kind === 'budget'
      ? { thinkingBudget: thinking.tokens }
      : { thinkingLevel: thinking.word };
  return { thinkingConfig: config };
}

function asked({ provider, model, prompt, conversation }: CallSettings) {
  const isApart = !WITHOUT_SYSTEM.test(model);
  if (conversation) return googleTurn(conversation, { provider, model, format: 'google' }, isApart);
  const { system } = prompt;
  const parts = prompt.user.map(({ text }) => ({ text }));
  if (system && !isApart) parts.unshift({ text: `${system.text}\n\n` });
  return {
    ...(system && isApart && { systemInstruction: { parts: [{ text: system.text }] } }),
    contents: parts.length === 0 ? [] : [{ role: 'user', parts }],
  };
}

export function googleBody(settings: CallSettings): object {
  const { maxTokens, temperature, serviceTier } = settings;
  return {
    generationConfig: {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...thinking(settings),
    },
    ...(serviceTier && { serviceTier }),
    // Last, so that the request of a turn begins with that of the turn before.
    ...asked(settings),
  };
}

export function googlePath(model: string): string {
  // Tuned models have a folder of their own.
  const path = model.includes('/') ? model : `models/${model}`;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/${encoded}:streamGenerateContent?alt=sse`;
}
