// Which providers this server can call.
import type { KeyCheck } from '../domain/access/key-check.ts';
import { PUBLIC_PROVIDERS } from '../domain/model/model-routing.ts';
import type { PublicProvider } from '../domain/model/model-routing.ts';
import type { PriceList } from './prices.ts';
import type { Provider } from './provider.ts';
import { createSimulator, type SimulatorOptions } from './simulator/simulator.ts';
import { createSimulatedUpstream } from './simulator/wire/simulated-upstream.ts';
import { checkKey } from './vendors/check-key.ts';
import { VENDOR_URLS } from './vendors/endpoint.ts';
import type { VendorEndpoint } from './vendors/endpoint.ts';
import { createServedLimits } from './vendors/served-limits.ts';
import type { ServedLimits } from './vendors/served-limits.ts';
import type { Upstream } from './upstream.ts';
import { createVendorUpstreams } from './vendors/vendor-upstream.ts';
import { createVendorHttp } from './vendors/vendor-http.ts';
import { createVendor } from './vendors/vendor.ts';

export interface Providers {
  find(id: string): Provider | undefined;
  ids(): string[];
  /** Asks the vendor whether a key is good. */
  checkKey(provider: PublicProvider, key: string): Promise<KeyCheck>;
  /** How much a model takes in and gives, where its server says so. */
  servedLimits(
    provider: string,
    model: string,
    key: string | undefined,
  ): Promise<ServedLimits | undefined>;
  /** Where requests of a vendor's own clients go. */
  upstream(provider: PublicProvider): Upstream | undefined;
  /** Who answers for simulated models; undefined where they are turned off. */
  simulatedUpstream: Upstream | undefined;
  close(): Promise<void>;
}

export interface VendorOptions {
  /** Addresses that the operator set instead of the vendors' own. */
  baseUrls: Partial<Record<PublicProvider, string>>;
  prices: PriceList;
  scrub(text: string): string;
}

/** The providers this server has, by id. */
export function createProviders(options: {
  simulator: boolean;
  simulatorOptions?: SimulatorOptions;
  /** Without them there is nothing but the simulator. */
  vendors?: VendorOptions;
}): Providers {
  const providers = new Map<string, Provider>();
  const { vendors } = options;
  const http = createVendorHttp();
  const upstreams = createVendorUpstreams();
  const endpoints = new Map<PublicProvider, VendorEndpoint>();
  const served = new Map<string, ReturnType<typeof createServedLimits>>();
  if (vendors) {
    for (const provider of PUBLIC_PROVIDERS) {
      const own = vendors.baseUrls[provider];
      const endpoint: VendorEndpoint = {
        provider,
        baseUrl: (own ?? VENDOR_URLS[provider]).replace(/(?<!\/)\/+$/, ''),
        custom: own !== undefined,
        http,
      };
      endpoints.set(provider, endpoint);
      served.set(provider, createServedLimits(endpoint));
      providers.set(provider, createVendor({ ...vendors, endpoint, now: Date.now }));
    }
  }
  if (options.simulator) {
    const simulator = createSimulator(options.simulatorOptions);
    providers.set(simulator.id, simulator);
  }
  return {
    find: (id) => providers.get(id),
    ids: () => [...providers.keys()],
    async checkKey(provider, key) {
      const endpoint = endpoints.get(provider);
      return endpoint ? checkKey(endpoint, key) : { kind: 'unknown', why: 'not available here' };
    },
    servedLimits: async (provider, model, key) => served.get(provider)?.find(model, key),
    simulatedUpstream: options.simulator
      ? createSimulatedUpstream(options.simulatorOptions)
      : undefined,
    upstream(provider) {
      const endpoint = endpoints.get(provider);
      return endpoint && upstreams.at(endpoint.baseUrl);
    },
    async close() {
      await Promise.all([http.close(), upstreams.close()]);
    },
  };
}
