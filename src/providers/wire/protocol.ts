// The languages that vendors' servers speak. Jobs and the model endpoint read answers with the same reader of each.

/**
 * `anthropic`: messages. `chat`: chat completions, of OpenAI, OpenRouter and servers of one's own. `responses`: OpenAI's
 * newer API. `google`: generateContent.
 */
export type Protocol = 'anthropic' | 'chat' | 'responses' | 'google';
