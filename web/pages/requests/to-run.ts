// A manifest that another page of this tab hands to the form of a new run.
import type { RequestDraft } from './request-draft.ts';

const KEY = 'millrace.manifest.to-run';

export function bringToRun(text: string): void {
  sessionStorage.setItem(KEY, text);
}

/** Once: after a reload the form begins as its address says. */
export function takeToRun(): Pick<RequestDraft, 'kind' | 'text'> | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return text === null ? undefined : { kind: 'text', text };
}
