// Plans that nobody has written yet. A template marks them, so that they differ from real ones
// however much of the file around them was changed.
import type { Manifest } from './model.ts';
import type { ProblemList } from './text/problem-list.ts';
import { quote } from './text/show.ts';

/** A plan that begins with this is still to be written. */
export const PLACEHOLDER = 'TODO:';
export const PLACEHOLDER_CODE = 'PLACEHOLDER_PLAN';

export function checkPlaceholders({ streams }: Manifest, problems: ProblemList): void {
  for (const { id, plan } of streams.values()) {
    if (!plan?.trimStart().startsWith(PLACEHOLDER)) continue;
    problems.warning(() => ({
      code: PLACEHOLDER_CODE,
      message: `The plan of ${quote(id)} is still a TODO.`,
      hint: 'Replace the TODO with what the model should do.',
      path: ['streams', id, 'plan'],
      atKey: true,
    }));
  }
}
