import { createContext } from 'react';
import type { PlanEdit } from '../../../src/manifest/edit/edit-plan.ts';
import type { CheckedText } from '../manifests/check-text.ts';

export type CheckedPlan = NonNullable<CheckedText['plan']>;

/** What the nodes of the graph and the panel of a stream show and do. */
export const PlanContext = createContext<
  | {
      plan: CheckedPlan;
      selected: string | undefined;
      onOpen: (id: string) => void;
      /** Undefined while the text cannot be edited from here. */
      edit: ((edit: PlanEdit) => void) | undefined;
    }
  | undefined
>(undefined);
