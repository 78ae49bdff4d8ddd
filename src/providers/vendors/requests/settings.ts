// What a call asks for, whichever vendor it goes to.
import type { Conversation } from '../../../contract/conversation-api.ts';
import type { ServiceTier } from '../../../contract/fields.ts';
import type { PublicProvider } from '../../../domain/model/model-routing.ts';
import type { PromptLayout } from '../prompt-layout.ts';
import type { Thinking } from '../reasoning.ts';

export interface CallSettings {
  provider: PublicProvider;
  /** A server of the operator's own. */
  custom: boolean;
  model: string;
  prompt: PromptLayout;
  /** Instead of the prompt. */
  conversation: Conversation | undefined;
  maxTokens: number | undefined;
  /** Only where the model takes one. */
  temperature: number | undefined;
  thinking: Thinking | undefined;
  /** Only where the model has it. */
  serviceTier: ServiceTier | undefined;
  /** Calls that share long parts of their prompts have the same. */
  cacheKey: string;
}
