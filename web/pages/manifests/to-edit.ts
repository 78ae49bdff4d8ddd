// A manifest that another page of this tab hands to the editor.
const KEY = 'millrace.manifest.to-edit';

export interface ToEdit {
  text: string;
  /** What it is called in the project. */
  file: string;
  /** The request of the run that it is from: a run of it begins with the same choices. */
  from?: string;
}

export function bringToEdit(manifest: ToEdit): void {
  sessionStorage.setItem(KEY, JSON.stringify(manifest));
}

/** Once: after a reload the person's own text is there. */
export function takeToEdit(): ToEdit | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as ToEdit);
}
