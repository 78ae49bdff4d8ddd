// How much of the project one answer of a tool shows: what a model reads is paid for again with every turn after it.

export const SHOWN_LINES = 400;
export const SHOWN_BYTES = 16 * 1024;
export const SHOWN_ENTRIES = 400;
export const MAX_FILE_BYTES = 8 * 1024 * 1024;
