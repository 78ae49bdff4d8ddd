// What something cost, in words. A price that is not known is not zero.

const calls = (count: number) => `${count} ${count === 1 ? 'call' : 'calls'}`;

export function showCost(costUsd: number | null, unpricedCalls = 0): string {
  if (costUsd === null) {
    return unpricedCalls > 0 ? `cost unknown (${calls(unpricedCalls)})` : 'cost unknown';
  }
  const known = `$${costUsd.toFixed(4)}`;
  return unpricedCalls > 0 ? `${known} and ${unpricedNote(unpricedCalls)}` : known;
}

export function unpricedNote(count: number): string {
  return `${calls(count)} at ${count === 1 ? 'an unknown price' : 'unknown prices'}`;
}
