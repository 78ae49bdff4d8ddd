// How much a text may ask of us. A manifest of a hundred thousand streams passes; a text made to
// grow while it is read does not.

export interface ManifestLimits {
  /** Size of the text in UTF-8. */
  maxBytes: number;
  /** Levels of mappings and lists within each other. */
  maxDepth: number;
  /** Values of the text, aliases counted with all they stand for. */
  maxNodes: number;
  maxAliases: number;
  /** Values that aliases may add to those written down. */
  maxAliasedNodes: number;
  /** Keys that `<<` may copy. */
  maxMergedKeys: number;
  maxStreams: number;
  /** More than this many are counted, not listed. */
  maxProblems: number;
}

export const DEFAULT_MANIFEST_LIMITS: ManifestLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxDepth: 64,
  maxNodes: 5_000_000,
  maxAliases: 1_000,
  // Each of them is checked like one that was written down, so this bounds the time, not the memory.
  maxAliasedNodes: 100_000,
  maxMergedKeys: 100_000,
  maxStreams: 200_000,
  maxProblems: 1_000,
};
