// The text of the plan, which is all the state there is: edits of the graph change it, and the graph is read from it.
import { useCallback, useEffect, useRef, useState } from 'react';
import { EditError } from '../../../src/manifest/edit/edit-error.ts';
import { editPlan } from '../../../src/manifest/edit/edit-plan.ts';
import type { PlanEdit } from '../../../src/manifest/edit/edit-plan.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { checkText } from '../manifests/check-text.ts';
import type { CheckedText } from '../manifests/check-text.ts';
import { editText } from './edit-text.ts';
import type { CheckedPlan } from './plan-context.ts';

const PAUSE_MS = 150;

export interface PlanText {
  checked: CheckedText;
  /** The last plan that could be read; the text may have moved on. */
  plan: CheckedPlan | undefined;
  /** What the last edit did, or why it was refused. */
  said: { text: string; isProblem: boolean } | undefined;
  edit: (edit: PlanEdit) => boolean;
}

export function usePlanText(text: string, onChange: (text: string) => void): PlanText {
  const settled = useSettled(text, PAUSE_MS);
  const [checked, setChecked] = useState(() => checkText(text));
  const [plan, setPlan] = useState(checked.plan);
  const [said, setSaid] = useState<PlanText['said']>();
  const latest = useRef(text);
  latest.current = text;
  const show = useCallback((next: CheckedText) => {
    setChecked(next);
    if (next.plan !== undefined) setPlan(next.plan);
  }, []);
  useEffect(() => show(checkText(settled)), [settled, show]);
  const edit = useCallback(
    (change: PlanEdit) => {
      try {
        const after = editPlan(latest.current, change);
        const before = checkText(latest.current).plan?.manifest;
        latest.current = after;
        onChange(after);
        // At once: the next edit is made on what this one shows.
        show(checkText(after));
        setSaid(
          before?.notation === 'B'
            ? { text: editText(before, change), isProblem: false }
            : undefined,
        );
        return true;
      } catch (error) {
        if (!(error instanceof EditError)) throw error;
        setSaid({ text: error.message, isProblem: true });
        return false;
      }
    },
    [onChange, show],
  );
  return { checked, plan, said, edit };
}
