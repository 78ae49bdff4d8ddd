// Money that may be spent in a run. Each call reserves the most that it can cost before it is made, so
// no call is ever started that could pass the limit.
import { isCovered, reserve } from '../usage/reservation.ts';
import type { Budget, Reservation } from '../usage/reservation.ts';

export interface RunBudget {
  /**
   * Undefined when the call could pass the limit. While others hold reservations it waits for what they
   * do not use: most calls cost much less than they could.
   */
  reserve(costUsd: number | null, signal?: AbortSignal): Promise<Reservation | undefined>;
  spentUsd(): number;
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

export function createRunBudget(limitUsd: number | undefined, alreadySpentUsd = 0): RunBudget {
  const budget: Budget = { limitUsd: limitUsd ?? null, spentUsd: alreadySpentUsd, reservedUsd: 0 };
  /** Reservations that are held, whatever their amounts. */
  let held = 0;
  let waiting: (() => void)[] = [];

  function change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  function closed(): void {
    held -= 1;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    async reserve(costUsd, signal) {
      for (;;) {
        const reservation = reserve(budget, costUsd, closed);
        if (reservation !== undefined) {
          held += 1;
          return reservation;
        }
        const isHopeless = held === 0 || !isCovered({ ...budget, reservedUsd: 0 }, costUsd);
        if (isHopeless || signal?.aborted) return undefined;
        await change(signal);
      }
    },
    spentUsd: () => budget.spentUsd,
  };
}
