// A manifest that another page of this tab hands to the form of a new run.
import type { RequestDraft } from './request-draft.ts';

const KEY = 'millrace.manifest.to-run';

/** `model`: for streams that name none; empty where it is left to the project. */
export type ToRun = Pick<RequestDraft, 'text'> & { model?: string };

export function bringToRun(manifest: ToRun): void {
  sessionStorage.setItem(KEY, JSON.stringify(manifest));
}

/** Once: after a reload the form begins as its address says. */
export function takeToRun(): Partial<RequestDraft> | undefined {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? undefined : { kind: 'text', ...(JSON.parse(kept) as ToRun) };
}
