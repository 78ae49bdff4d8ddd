// A comment that is being written, kept in the storage of the tab: a reload of the page loses no word of it.
import type { EditorTarget } from './review-context.ts';

const keyOf = (approvalId: string) => `millrace.comment.${approvalId}`;

export function readEditor(approvalId: string): EditorTarget | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(approvalId));
    return text === null ? undefined : (JSON.parse(text) as EditorTarget);
  } catch {
    return undefined;
  }
}

export function keepEditor(approvalId: string, editor: EditorTarget | undefined): void {
  try {
    if (editor === undefined) sessionStorage.removeItem(keyOf(approvalId));
    else sessionStorage.setItem(keyOf(approvalId), JSON.stringify(editor));
  } catch {
    // Full or switched off: the text is on the page all the same.
  }
}
