import { readEditsBlock } from './edits-block.ts';
import { parseBlocks, type ParsedArtifact } from './parse-blocks.ts';

export type { ParsedArtifact } from './parse-blocks.ts';

/** Both ways in which a model may hand in an artifact. */
export function parseArtifact(output: string, streamId: string): ParsedArtifact {
  return parseBlocks(output, streamId, readEditsBlock);
}
