// What models cost on this server.
import { useQuery } from '@tanstack/react-query';
import type { ModelPrice } from '../../src/contract/prices-api.ts';
import { call } from './client.ts';
import type { Prices } from './token-cost.ts';

/** Of more models than these the rest has no price here. */
const MOST_MODELS = 50;

/** Undefined until they are known. */
export function usePrices(models: readonly string[]): Prices | undefined {
  const ids = [...new Set(models)]
    .filter((id) => id !== '')
    .toSorted()
    .slice(0, MOST_MODELS);
  const { data } = useQuery({
    queryKey: ['prices', ids],
    queryFn: () =>
      call<{ items: ModelPrice[] }>(
        'GET',
        `/api/v1/prices?models=${encodeURIComponent(ids.join(','))}`,
      ),
    enabled: ids.length > 0,
    staleTime: Infinity,
    select: ({ items }): Prices => new Map(items.map((price) => [price.model, price])),
    placeholderData: (before) => before,
  });
  return ids.length === 0 ? new Map() : data;
}
