// The facts that come with the product. Each file is checked when it is loaded: a mistake in one shows at once.
import anthropic from './facts/anthropic.json' with { type: 'json' };
import google from './facts/google.json' with { type: 'json' };
import openai from './facts/openai.json' with { type: 'json' };
import openrouter from './facts/openrouter.json' with { type: 'json' };
import { parseFacts } from './model-facts.ts';
import type { ProviderFacts } from './model-facts.ts';

export const SHIPPED_FACTS: readonly ProviderFacts[] = [anthropic, openai, google, openrouter].map(
  parseFacts,
);
