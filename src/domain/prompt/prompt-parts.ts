const NAMES = ['systemContent', 'projectContext', 'streamContext', 'taskContent'] as const;

export type PromptPartTexts = Record<(typeof NAMES)[number], string>;
export type StructuredPromptTexts = { [Name in keyof PromptPartTexts]?: string | undefined };

const SEPARATOR = '\n\n';

/**
 * The parts of a prompt, when they are the prompt: put together they must give it back exactly, with
 * nothing or an empty line between them. Otherwise undefined: what the model is asked is `prompt`, and
 * a hint that does not fit it is dropped rather than trusted.
 */
export function usableParts(
  prompt: string,
  structuredPrompt?: StructuredPromptTexts,
): PromptPartTexts | undefined {
  if (structuredPrompt === undefined) return undefined;
  const texts = NAMES.map((name) => structuredPrompt[name] ?? '');
  if (texts.join('') === prompt) return named(texts);
  // The separator goes to the part before it, so that the parts still add up to the prompt.
  const last = texts.findLastIndex((text) => text !== '');
  const joined = texts.map((text, at) => (text !== '' && at < last ? text + SEPARATOR : text));
  return joined.join('') === prompt ? named(joined) : undefined;
}

function named(texts: readonly string[]): PromptPartTexts {
  const [systemContent = '', projectContext = '', streamContext = '', taskContent = ''] = texts;
  return { systemContent, projectContext, streamContext, taskContent };
}
