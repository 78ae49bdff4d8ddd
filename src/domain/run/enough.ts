// How much money would be enough, in words.

/** What would suffice: for the call that was not made, and for all that is left, whatever happens. */
export interface EnoughUsd {
  next: number;
  everything: number | undefined;
}

/** Rounded up, so that it is enough: to cents, below a dollar to tenths of them. */
export function enoughText(usd: number): string {
  const places = usd < 1 ? 3 : 2;
  const scale = 10 ** places;
  return (Math.ceil(usd * scale - 1e-6) / scale).toFixed(places);
}
