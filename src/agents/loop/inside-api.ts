// What the process inside of the sandbox answers. It works where the model's code runs, so nothing that it says is trusted:
// it is text for the model, and read by these shapes.
import { z } from 'zod';

const FileEntry = z.object({
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
});
export type FileEntry = z.infer<typeof FileEntry>;

const FileLines = z.object({ lines: z.array(z.string()), total: z.number() });
export type FileLines = z.infer<typeof FileLines>;

const CommandEnd = z.object({
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  isTimedOut: z.boolean(),
  /** There is no such program. */
  isMissing: z.boolean(),
  head: z.string(),
  tail: z.string(),
  /** Bytes between the two. */
  dropped: z.number(),
});
export type CommandEnd = z.infer<typeof CommandEnd>;

const SearchResult = z.object({ text: z.string(), isTimedOut: z.boolean(), isCut: z.boolean() });
export type SearchResult = z.infer<typeof SearchResult>;

export const ANSWERS = {
  bytes: z.object({ base64: z.string().nullable() }),
  lines: FileLines,
  write: z.object({ isNew: z.boolean() }),
  remove: z.object({}),
  list: z.object({ entries: z.array(FileEntry), isCut: z.boolean() }),
  search: SearchResult,
  run: CommandEnd,
};
export type Answers = { [Op in keyof typeof ANSWERS]: z.infer<(typeof ANSWERS)[Op]> };

export interface Requests {
  /** Null where there is no file. */
  bytes: { path: string; maxBytes: number };
  lines: { path: string; from: number; count: number; maxBytes: number; maxChars: number };
  write: { path: string; base64: string };
  remove: { path: string };
  list: { path: string; max: number; isDeep: boolean };
  search: {
    path: string;
    pattern: string;
    glob: string | null;
    ignoresCase: boolean;
    maxBytes: number;
  };
  run: { command: string; timeoutMs: number; headBytes: number; tailBytes: number };
}

export const Reply = z.discriminatedUnion('ok', [
  z.object({ id: z.number(), ok: z.literal(true), value: z.unknown() }),
  z.object({ id: z.number(), ok: z.literal(false), error: z.string() }),
]);
