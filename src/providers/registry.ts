import type { Provider } from './provider.ts';
import { createSimulator, type SimulatorOptions } from './simulator/simulator.ts';

export interface Providers {
  find(id: string): Provider | undefined;
  ids(): string[];
}

/** The providers this server has, by id. */
export function createProviders(options: {
  simulator: boolean;
  simulatorOptions?: SimulatorOptions;
}): Providers {
  const providers = new Map<string, Provider>();
  if (options.simulator) {
    const simulator = createSimulator(options.simulatorOptions);
    providers.set(simulator.id, simulator);
  }
  return { find: (id) => providers.get(id), ids: () => [...providers.keys()] };
}
