// What has come of a model's answer so far.
import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { PricedTier } from '../../domain/model/facts-price.ts';
import type { PartialUsage } from './usage.ts';

export interface Received {
  text: string;
  /** What the model thought aloud: charged like its text. */
  thought: string;
  /** The call is on its way to the vendor. */
  sent: boolean;
  /** The model has said or thought something. */
  began: boolean;
  partial: PartialUsage | undefined;
  usage: LanguageModelV4Usage | undefined;
  finish: string | undefined;
  finishRaw: string | undefined;
  costUsd: number | undefined;
  /** The tier that it says it is processed at. */
  tier: PricedTier | undefined;
  error: unknown;
}

export function nothingReceived(): Received {
  return {
    text: '',
    thought: '',
    sent: false,
    began: false,
    partial: undefined,
    usage: undefined,
    finish: undefined,
    finishRaw: undefined,
    costUsd: undefined,
    tier: undefined,
    error: undefined,
  };
}
