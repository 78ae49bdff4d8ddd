// When a schedule or a trigger may start a run.
import type { ReactNode } from 'react';
import { OVERLAPS } from '../../../src/contract/start-reasons.ts';
import type { Overlap } from '../../../src/contract/start-reasons.ts';
import { Field, Input, Select } from '../../ui/field.tsx';
import type { RulesDraft } from './rules-draft.ts';

export const OVERLAP_WORDS: Readonly<Record<Overlap, string>> = {
  skip: 'Start nothing',
  queue: 'Start it too',
  cancel_older: 'Cancel the earlier ones',
};

export function RuleFields({
  draft,
  change,
  problem,
  children,
}: {
  draft: RulesDraft;
  change: (part: Partial<RulesDraft>) => void;
  problem: (field: string) => string | undefined;
  /** Rules of one kind alone. */
  children?: ReactNode;
}) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="While an earlier run has not ended"
        hint={OVERLAPS[draft.overlap]}
        problem={problem('overlap')}
      >
        {(props) => (
          <Select
            {...props}
            value={draft.overlap}
            onChange={(event) => change({ overlap: event.target.value as Overlap })}
          >
            {Object.entries(OVERLAP_WORDS).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {children}
      <Field
        label="Dollars a month"
        hint="When its runs have spent them, none starts until the month (UTC) ends"
        problem={problem('budgetUsdPerMonth')}
      >
        {(props) => (
          <Input
            {...props}
            type="number"
            min={0}
            step="any"
            placeholder="No limit"
            value={draft.budget}
            onChange={(event) => change({ budget: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Pause after failures in a row"
        hint="Empty: never"
        problem={problem('pauseAfterFailures')}
      >
        {(props) => (
          <Input
            {...props}
            type="number"
            min={1}
            max={100}
            placeholder="Never"
            value={draft.failures}
            onChange={(event) => change({ failures: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
