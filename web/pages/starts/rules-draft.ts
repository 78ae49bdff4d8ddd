// The rules of a schedule or a trigger, as they are typed.
import { DEFAULT_FAILURES } from '../../../src/contract/start-reasons.ts';
import type { Overlap } from '../../../src/contract/start-reasons.ts';

export interface RulesDraft {
  overlap: Overlap;
  budget: string;
  /** Empty: never. */
  failures: string;
}

export interface Rules {
  overlap: Overlap;
  budgetUsdPerMonth: number | null;
  pauseAfterFailures: number | null;
}

export const newRules = (overlap: Overlap): RulesDraft => ({
  overlap,
  budget: '',
  failures: String(DEFAULT_FAILURES),
});

export function rulesDraftOf(rules: Rules): RulesDraft {
  const { overlap, budgetUsdPerMonth, pauseAfterFailures } = rules;
  return {
    overlap,
    budget: budgetUsdPerMonth === null ? '' : String(budgetUsdPerMonth),
    failures: pauseAfterFailures === null ? '' : String(pauseAfterFailures),
  };
}

const numberOf = (text: string): number | null => (text === '' ? null : Number(text));

export function rulesOf({ overlap, budget, failures }: RulesDraft): Rules {
  return {
    overlap,
    budgetUsdPerMonth: numberOf(budget),
    pauseAfterFailures: numberOf(failures),
  };
}

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Only what differs: what others have changed meanwhile stays. */
export function changedRules(draft: RulesDraft, first: RulesDraft): Partial<Rules> {
  const rules = rulesOf(draft);
  return {
    ...(draft.overlap === first.overlap ? {} : { overlap: rules.overlap }),
    ...(draft.budget === first.budget ? {} : { budgetUsdPerMonth: rules.budgetUsdPerMonth }),
    ...(draft.failures === first.failures ? {} : { pauseAfterFailures: rules.pauseAfterFailures }),
  };
}
