import { afterAll, beforeAll } from 'vitest';
import { startSimulatedEndpoint } from '../support/simulated-endpoint.ts';
import type { SimulatedEndpoint } from '../support/simulated-endpoint.ts';
import { areInstalled } from './installed.ts';

export interface Endpoint {
  /** Up to and with `/model`. */
  url: string;
  /** Goes where the vendor's key would. */
  credential: string;
  /** Answers whose client went away before they were whole. */
  brokenOff(): number;
}

/** One endpoint for all tests of a file, with simulated models behind it. */
export function useEndpoint(): () => Endpoint {
  let endpoint: SimulatedEndpoint | undefined;
  beforeAll(async () => {
    if (areInstalled) endpoint = await startSimulatedEndpoint();
  });
  afterAll(() => endpoint?.close());
  return () => {
    if (endpoint === undefined) throw new Error('the endpoint is not up yet');
    const { url, brokenOff } = endpoint;
    return { url, brokenOff, credential: 'any' };
  };
}
