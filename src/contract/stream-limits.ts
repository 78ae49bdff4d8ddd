// Without zod: manifests are checked in browsers, too.

export const STREAM_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
export const MAX_TOKENS_LIMIT = 200_000;
