// Without zod: clients that run in browsers read artifacts, too.

export const ARTIFACT_STATUSES = ['complete', 'partial', 'failed'] as const;
export type ArtifactStatus = (typeof ARTIFACT_STATUSES)[number];
