import type { Problem } from '../../../manifest/problem.ts';
import { PLACEHOLDER_CODE } from '../../../manifest/placeholder.ts';
import { note, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

export function showWarnings(warnings: readonly Problem[]): void {
  for (const { code, message, hint } of warnings) {
    // Shown already, with its place.
    if (code === PLACEHOLDER_CODE) continue;
    note(`${styledNote('yellow', 'warning')} ${code} ${plain(message)} ${plain(hint)}`);
  }
}
