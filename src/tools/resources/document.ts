// What a resource holds, before it is cut into pages.
export interface Document {
  mimeType: string;
  text: string;
  /** What a reader has to know besides; not part of the text. */
  note?: string | undefined;
}

export function jsonDocument(value: unknown): Document {
  return { mimeType: 'application/json', text: JSON.stringify(value) };
}
