import { formatDollars } from './format.ts';

/** Null is not zero: nobody knows the price. */
export function Cost({ usd, unpriced }: { usd: number | null; unpriced?: number | undefined }) {
  if (usd === null) return <span className="text-faint">unknown</span>;
  return (
    <>
      {formatDollars(usd)}
      {unpriced ? <span className="text-faint"> + unknown</span> : null}
    </>
  );
}
