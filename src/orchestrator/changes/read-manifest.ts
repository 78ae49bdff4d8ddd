// The manifest of a run that is over, as it is now.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '../../manifest/model.ts';
import { parseManifest } from '../../manifest/text/parse.ts';
import { ManifestProblemsError } from '../run/read-plan.ts';

export async function readManifestNow(
  root: string,
  file: string,
): Promise<{ text: string; manifest: Manifest }> {
  const text = await readFile(join(root, file), 'utf8');
  const parsed = parseManifest(text, { file });
  if (parsed.kind === 'invalid') throw new ManifestProblemsError(parsed.problems, { file, text });
  return { text, manifest: parsed.manifest };
}
