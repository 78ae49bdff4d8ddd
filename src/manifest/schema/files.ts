// The schemas under the names by which they are served and packaged.
import { anyManifestSchema, manifestSchema } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

export const MANIFEST_SCHEMAS: Readonly<Record<string, () => JsonSchema>> = {
  'manifest.json': anyManifestSchema,
  'manifest-a.json': () => manifestSchema('A'),
  'manifest-b.json': () => manifestSchema('B'),
};
