// A text that another page of this tab hands to the editor.
const KEY = 'millrace.manifest.to-edit';

export function bringToEdit(text: string): void {
  sessionStorage.setItem(KEY, text);
}

/** Once: after a reload the person's own text is there. */
export function takeToEdit(): string | undefined {
  const text = sessionStorage.getItem(KEY) ?? undefined;
  sessionStorage.removeItem(KEY);
  return text;
}
