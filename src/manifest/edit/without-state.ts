// A manifest as it was before anything ran: what runs wrote into it is taken out, the rest stays.
import { fixTargetOf, stateOf } from '../model.ts';
import { parseManifest } from '../text/parse.ts';
import { editManifest } from './editor.ts';

const WRITTEN_BY_RUNS = ['error', 'attempts', 'appliedAt', 'skippedBy'];

/** The text itself where it is no manifest, or has no state in it. */
export function withoutState(text: string): string {
  const parsed = parseManifest(text);
  if (parsed.kind === 'invalid' || parsed.manifest.notation === 'A') return text;
  const { manifest } = parsed;
  const editor = editManifest(text);
  for (const stream of manifest.streams.values()) {
    if (fixTargetOf(manifest, stream) !== undefined) {
      editor.removeStream(stream.id);
      continue;
    }
    for (const field of WRITTEN_BY_RUNS) editor.set(stream.id, field, null);
    if (stateOf(stream).status !== 'pending') editor.set(stream.id, 'status', 'pending');
  }
  if ((manifest.status ?? 'pending') !== 'pending') editor.setTop('status', 'pending');
  return editor.toString();
}
