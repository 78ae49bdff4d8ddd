// Money that may be spent in a run. Each call reserves the most that it can cost before it is made,
// and gives back what it did not use: so no call is ever started that could pass the limit.

export interface RunBudget {
  /**
   * False when the call could pass the limit; then nothing is reserved. While others hold
   * reservations it waits for what they give back: most calls cost much less than they could.
   */
  reserve(usd: number, signal?: AbortSignal): Promise<boolean>;
  /** The call is over: what was reserved is replaced by what it cost. */
  settle(reservedUsd: number, spentUsd: number): void;
  spentUsd(): number;
  reservedUsd(): number;
}

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

/** Fractions of a cent add up to noise in the last places of a sum. */
const TOLERANCE_USD = 1e-9;

export function createRunBudget(limitUsd: number | undefined, alreadySpentUsd = 0): RunBudget {
  let spent = alreadySpentUsd;
  let reserved = 0;
  /** Calls that are under way, whatever they may cost. */
  let open = 0;
  let waiting: (() => void)[] = [];

  const fits = (usd: number, others: number) =>
    limitUsd === undefined || spent + others + usd <= limitUsd + TOLERANCE_USD;

  function change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  return {
    async reserve(usd, signal) {
      while (!fits(usd, reserved)) {
        const isHopeless = open === 0 || !fits(usd, 0);
        if (isHopeless || signal?.aborted) return false;
        await change(signal);
      }
      reserved += usd;
      open += 1;
      return true;
    },
    settle(reservedUsd, spentUsd) {
      reserved = Math.max(0, reserved - reservedUsd);
      open = Math.max(0, open - 1);
      spent += spentUsd;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    spentUsd: () => spent,
    reservedUsd: () => reserved,
  };
}
