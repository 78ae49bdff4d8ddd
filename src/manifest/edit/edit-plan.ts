// Changes to a plan as a person makes them, each as a change of its text that leaves every other byte as it is.
// What would make the manifest invalid is refused, and the text stays as it was.
import type { FeatureManifest } from '../model.ts';
import { ID_PATTERN } from '../schema/field.ts';
import { badId } from '../text/field-check.ts';
import { parseManifest } from '../text/parse.ts';
import { EditError } from './edit-error.ts';
import { editManifest } from './editor.ts';
import type { ManifestEditor } from './editor.ts';

export type PlanList = 'deps' | 'owns' | 'reads' | 'verify';

export type PlanEdit =
  | { kind: 'name'; stream: string; name: string }
  /** Streams that depend on it follow. */
  | { kind: 'id'; stream: string; id: string }
  /** Empty for none. */
  | { kind: 'plan'; stream: string; plan: string }
  | { kind: 'add' | 'remove'; stream: string; list: PlanList; entry: string }
  /** An entry of `owns` of one stream becomes one of another. */
  | { kind: 'move'; stream: string; to: string; entry: string }
  /** Streams that depend on it depend on what it depends on. */
  | { kind: 'delete'; stream: string };

function readPlan(text: string): FeatureManifest {
  const read = parseManifest(text);
  if (read.kind === 'invalid') {
    const { message, hint, line } = read.problems.find(({ severity }) => severity === 'error')!;
    throw new EditError(`${message} ${hint}`, line);
  }
  if (read.manifest.notation === 'B') return read.manifest;
  throw new EditError('Streams of this notation have no files and no dependencies to edit.');
}

/** What the streams that depend on a stream wait for once it is gone: each with the deps that it gains. */
export function depsWithout({ streams }: FeatureManifest, id: string): Map<string, string[]> {
  const inherited = streams.get(id)?.deps ?? [];
  return new Map(
    [...streams.values()]
      .filter(({ deps }) => deps.includes(id))
      .map((stream) => [stream.id, inherited.filter((dep) => !stream.deps.includes(dep))]),
  );
}

/** A block of lines ends in a line break, which nobody types at the end of a field; blanks at the ends of lines go. */
function planText(plan: string, before: string | undefined): string {
  const lines = plan.split('\n').map((line) => line.trimEnd());
  const text = lines.join('\n').trim();
  const isLong = text.includes('\n') || (before?.endsWith('\n') ?? false);
  return isLong ? `${text}\n` : text;
}

function checkId(id: string): void {
  if (ID_PATTERN.test(id)) return;
  const { says, hint } = badId(id);
  throw new EditError(`The id ${says}. ${hint}`);
}

function perform(editor: ManifestEditor, manifest: FeatureManifest, edit: PlanEdit): void {
  const { stream } = edit;
  switch (edit.kind) {
    case 'name':
      return editor.set(stream, 'name', edit.name);
    case 'id':
      checkId(edit.id);
      return editor.renameStream(stream, edit.id);
    case 'plan': {
      if (edit.plan.trim() === '') return editor.set(stream, 'plan', null);
      const before = manifest.streams.get(stream)?.plan;
      return editor.setText(stream, 'plan', planText(edit.plan, before));
    }
    case 'add':
      return editor.addToList(stream, edit.list, [edit.entry]);
    case 'remove':
      return editor.removeFromList(stream, edit.list, edit.entry);
    case 'move':
      if (edit.to === stream) return undefined;
      editor.removeFromList(stream, 'owns', edit.entry);
      return editor.addToList(edit.to, 'owns', [edit.entry]);
    case 'delete':
      for (const [id, gained] of depsWithout(manifest, stream)) {
        editor.addToList(id, 'deps', gained);
        editor.removeFromList(id, 'deps', stream);
      }
      return editor.removeStream(stream, { withComment: true });
  }
}

/** Throws an EditError for a text or a change that is not possible; the message says what to do. */
export function editPlan(text: string, edit: PlanEdit): string {
  const manifest = readPlan(text);
  const editor = editManifest(text);
  perform(editor, manifest, edit);
  const changed = editor.toString();
  readPlan(changed);
  return changed;
}
