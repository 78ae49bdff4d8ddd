export const VENDORS = ['anthropic', 'openai', 'compatible', 'google', 'openrouter'] as const;

export type Vendor = (typeof VENDORS)[number];

/** Where each vendor's API begins below the origin: what a client calls its base URL. */
export const BASE_PATHS: Readonly<Record<Vendor, string>> = {
  anthropic: '/anthropic/v1',
  openai: '/openai/v1',
  compatible: '/compatible/v1',
  google: '/google/v1beta',
  openrouter: '/openrouter/api/v1',
};

export function isVendor(value: unknown): value is Vendor {
  return VENDORS.some((vendor) => vendor === value);
}
