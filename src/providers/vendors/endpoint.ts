// Where a vendor is called.
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import type { VendorHttp } from './vendor-http.ts';

export const VENDOR_URLS: Record<PublicProvider, string> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  openrouter: 'https://openrouter.ai/api/v1',
};

export interface VendorEndpoint {
  provider: PublicProvider;
  baseUrl: string;
  /** The operator named another server: it speaks chat completions, not the vendor's newest API. */
  custom: boolean;
  http: Pick<VendorHttp, 'send'>;
}
