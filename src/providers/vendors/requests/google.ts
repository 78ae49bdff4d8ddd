// A call in the form of Google's generateContent.
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

export function googleBody(settings: CallSettings): object {
  const { model, prompt, maxTokens, temperature, serviceTier } = settings;
  const { system } = prompt;
  const isApart = !WITHOUT_SYSTEM.test(model);
  const parts = prompt.user.map(({ text }) => ({ text }));
  if (system && !isApart) parts.unshift({ text: `${system.text}\n\n` });
  return {
    generationConfig: {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...thinking(settings),
    },
    contents: parts.length === 0 ? [] : [{ role: 'user', parts }],
    ...(system && isApart && { systemInstruction: { parts: [{ text: system.text }] } }),
    ...(serviceTier && { serviceTier }),
  };
}

export function googlePath(model: string): string {
  // Tuned models have a folder of their own.
  const path = model.includes('/') ? model : `models/${model}`;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/${encoded}:streamGenerateContent?alt=sse`;
}
