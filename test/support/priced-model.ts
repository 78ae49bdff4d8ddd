// A model that costs money and still plays what the prompt says: the answers of the simulator, as a model
// with a known price. What is simulated itself counts toward no budget.
import { loadPrices } from '../../src/providers/prices.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createProviders } from '../../src/providers/registry.ts';
import type { Providers, VendorOptions } from '../../src/providers/registry.ts';
import { createSimulator } from '../../src/providers/simulator/simulator.ts';

const PROVIDER = 'anthropic';

/** 3 dollars a million tokens of input, 15 of output: as the simulator counts, too. */
export const PRICED_MODEL = 'claude-sonnet-4-5';

/** The providers of a server, with this one in the place of a vendor. */
export function pricedProviders(baseUrls: VendorOptions['baseUrls'] = {}): Providers {
  const prices = loadPrices(undefined);
  const scrub = (text: string) => text;
  const others = createProviders({ simulator: true, vendors: { baseUrls, prices, scrub } });
  const simulator = createSimulator();
  const priced: Provider = {
    id: PROVIDER,
    simulated: false,
    needsKey: false,
    offersTier: () => true,
    costUsd: (model, usage) => prices.costUsd(PROVIDER, model, usage),
    run: (request, onText) => simulator.run({ ...request, model: 'sim-instant' }, onText),
  };
  return { ...others, find: (id) => (id === PROVIDER ? priced : others.find(id)) };
}
