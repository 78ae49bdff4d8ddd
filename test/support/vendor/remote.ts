import type { CallFilter, VendorCall } from './call-log.ts';
import { CONTROL_PATH } from './control.ts';
import type { Limit, Load } from './gate.ts';
import type { AcceptedKey } from './keys.ts';
import type { Rule } from './rules.ts';
import type { Vendor } from './vendors.ts';
import { BASE_PATHS } from './vendors.ts';

/** A vendor server in another process, steered over HTTP. */
export interface RemoteVendorServer {
  origin: string;
  url(vendor: Vendor): string;
  calls(filter?: CallFilter): Promise<VendorCall[]>;
  setKeys(vendor: Vendor, keys: readonly AcceptedKey[] | 'any'): Promise<void>;
  setLimit(vendor: Vendor, limit: Limit | undefined): Promise<void>;
  script(rule: Rule): Promise<void>;
  load(vendor: Vendor): Promise<Load>;
  reset(): Promise<void>;
}

export function connectVendorServer(origin: string): RemoteVendorServer {
  async function ask(path: string, body?: object): Promise<unknown> {
    const response = await fetch(origin + CONTROL_PATH + path, {
      method: body ? 'POST' : 'GET',
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`The vendor server refused: ${JSON.stringify(answer)}`);
    return answer;
  }
  return {
    origin,
    url: (vendor) => origin + BASE_PATHS[vendor],
    calls: async (filter = {}) =>
      (await ask(`calls?${String(new URLSearchParams({ ...filter }))}`)) as VendorCall[],
    setKeys: async (vendor, keys) => void (await ask('keys', { vendor, keys })),
    setLimit: async (vendor, limit) => void (await ask('limit', { vendor, ...limit })),
    script: async (rule) => void (await ask('script', rule)),
    load: async (vendor) => ((await ask('load')) as Record<Vendor, Load>)[vendor],
    reset: async () => void (await ask('reset', {})),
  };
}
