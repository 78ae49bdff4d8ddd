// What the bars show.
import type { UsageDay } from '../../../src/contract/usage-api.ts';
import { formatCount, formatDollars, formatShort } from '../../ui/format.ts';

export interface Measure {
  id: 'cost' | 'tokens' | 'jobs';
  label: string;
  of: (day: UsageDay) => number;
  format: (value: number) => string;
}

export const MEASURES: readonly Measure[] = [
  {
    id: 'cost',
    label: 'Spend',
    // What clients recorded is spent, too.
    of: ({ costUsd, recorded }) => (costUsd ?? 0) + (recorded.costUsd ?? 0),
    format: formatDollars,
  },
  {
    id: 'tokens',
    label: 'Tokens',
    of: ({ tokens }) => tokens.input + tokens.output,
    format: formatShort,
  },
  { id: 'jobs', label: 'Jobs', of: ({ jobs }) => jobs, format: formatCount },
];
