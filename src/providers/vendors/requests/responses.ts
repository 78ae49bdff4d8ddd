// A call in the form of OpenAI's responses.
import type { PromptText } from '../prompt-layout.ts';
import { isReasoningModel } from '../reasoning.ts';
import { responsesTurn } from '../turns/responses.ts';
import type { CallSettings } from './settings.ts';

function part({ text, mark }: PromptText) {
  const breakpoint = mark !== undefined && { prompt_cache_breakpoint: { mode: 'explicit' } };
  return { type: 'input_text', text, ...breakpoint };
}

function input({ model, prompt: { system, user } }: CallSettings) {
  // Models that reason have no system.
  const role = isReasoningModel(model) ? 'developer' : 'system';
  const rules = system && (system.mark === undefined ? system.text : [part(system)]);
  return [
    ...(rules === undefined ? [] : [{ role, content: rules }]),
    ...(user.length === 0 ? [] : [{ role: 'user', content: user.map(part) }]),
  ];
}

function asked(settings: CallSettings) {
  const { provider, model, conversation } = settings;
  if (conversation) return responsesTurn(conversation, { provider, model, format: 'responses' });
  return { input: input(settings) };
}

export function responsesBody(settings: CallSettings): object {
  const { model, prompt, maxTokens, temperature, thinking, serviceTier } = settings;
  const isMarked = [prompt.system, ...prompt.user].some((text) => text?.mark !== undefined);
  return {
    model,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    store: false,
    // Without it, OpenAI takes what the settings of the project say.
    ...(serviceTier && { service_tier: serviceTier === 'flex' ? 'flex' : 'default' }),
    // What is not kept there has to come with the answer, or nobody could continue it.
    ...(isReasoningModel(model) && { include: ['reasoning.encrypted_content'] }),
    prompt_cache_key: settings.cacheKey,
    ...(isMarked && { prompt_cache_options: { mode: 'explicit' } }),
    // Summaries are for verified organizations only.
    ...(thinking && thinking.kind !== 'budget' && { reasoning: { effort: thinking.word } }),
    stream: true,
    // Last, so that the request of a turn begins with that of the turn before.
    ...asked(settings),
  };
}
