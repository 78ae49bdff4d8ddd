/** Of several calls. A zero that leaves calls out would look like a price. */
export function knownCost(costUsd: number, unpricedCalls: number): number | null {
  return unpricedCalls > 0 && costUsd === 0 ? null : costUsd;
}
