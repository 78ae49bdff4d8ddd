// Files of a review, as a command sends them.
import { createHash } from 'node:crypto';

export const hunkId = (text: string) =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

export const reviewBody = (more: Record<string, unknown> = {}) => ({
  files: 1,
  isApplied: true,
  command: 'millrace review run-1',
  ...more,
});

/** Its one line becomes another. */
export function reviewFile(path: string, more: Record<string, unknown> = {}) {
  const lines = { oldFrom: 0, oldTo: 1, newFrom: 0, newTo: 1 };
  return {
    path,
    kind: 'edit',
    streams: ['api'],
    isBinary: false,
    additions: 1,
    deletions: 1,
    size: 4,
    hunks: [{ id: hunkId(path), kind: 'lines', ...lines }],
    before: 'old\n',
    after: 'new\n',
    ...more,
  };
}
