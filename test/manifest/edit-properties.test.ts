// Random manifests in every layout, random changes: two parsers must read what was meant, and lines
// that no change is about must be the same.
import fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { editManifest } from '../../src/manifest/edit/editor.ts';
import { anyManuscript } from './any-layout.ts';
import type { Manuscript } from './any-layout.ts';
import { effort } from '../support/effort.ts';

type Fields = Record<string, unknown>;
interface Model {
  status?: string;
  streams: Record<string, Fields | null> | null;
}

const anyText = fc.oneof(
  fc.constantFrom(
    'complete',
    'null',
    'yes',
    '1e3',
    '0x1F',
    '2026-01-01',
    '',
    ' lead',
    '- x',
    'a: b',
  ),
  fc.constantFrom(
    'a #b',
    '\u2028x\u0085',
    '\uD800',
    '"q"',
    `it's`,
    '{a}',
    'x\n\ny\n',
    '\uFEFF',
    '.inf',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);
const anyLines = fc
  .array(fc.constantFrom('Do this.', '', '  deeper', '# no comment', '- x: y', 'end '), {
    minLength: 2,
    maxLength: 5,
  })
  .map((lines) => lines.join('\n'));
const pick = fc.nat();
const anyEdit = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    pick,
    field: fc.constantFrom('status', 'error', 'attempts', 'appliedAt'),
    value: fc.oneof(anyText, fc.integer({ min: 0, max: 9 }), fc.constant(null)),
  }),
  fc.record({ kind: fc.constant('top' as const), value: anyText }),
  fc.record({
    kind: fc.constant('deps' as const),
    pick,
    deps: fc.array(fc.constantFrom('api', 'db', 'web', 'true', 'x y', '7'), { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('add' as const),
    plan: anyText,
    id: fc.constantFrom('new', 'n 2', '3'),
  }),
  fc.record({ kind: fc.constant('remove' as const), pick, withComment: fc.boolean() }),
  fc.record({
    kind: fc.constant('text' as const),
    pick,
    field: fc.constantFrom('status', 'error'),
    value: fc.oneof(anyText, anyLines),
  }),
  fc.record({
    kind: fc.constant('shorten' as const),
    pick,
    field: fc.constantFrom('deps', 'owns'),
    entry: fc.constantFrom('api', 'db', 'a.ts', 'x', 'q'),
  }),
  fc.record({
    kind: fc.constant('rename' as const),
    pick,
    to: fc.constantFrom('api', 'db', 'new', 'x y', '7', 'true'),
  }),
);
type Edit = typeof anyEdit extends fc.Arbitrary<infer T> ? T : never;

type Editor = ReturnType<typeof editManifest>;

/** Under another id, wherever it is named; says which streams changed. */
function rename(editor: Editor, model: Model, { from, to }: { from: string; to: string }) {
  const streams = model.streams ?? {};
  if (from === to || to in streams) return [];
  editor.renameStream(from, to);
  const depsOf = (fields: Fields | null) => fields?.['deps'] as string[] | null | undefined;
  const following = Object.keys(streams).filter((id) => depsOf(streams[id]!)?.includes(from));
  const entries = Object.entries(streams).map(([id, fields]) => {
    const deps = depsOf(fields)?.map((dep) => (dep === from ? to : dep));
    return [id === from ? to : id, deps ? { ...fields, deps } : fields];
  });
  model.streams = Object.fromEntries(entries) as Model['streams'];
  return [from, to, ...following];
}

/** Without an entry; a list of nothing may be left out or stay, as comments in it want. */
function shorten(
  editor: Editor,
  streams: Record<string, Fields | null>,
  { id, field, entry }: { id: string; field: string; entry: string },
): void {
  editor.removeFromList(id, field, entry);
  const fields = { ...streams[id] };
  const before = fields[field] as unknown[] | null | undefined;
  if (!before?.includes(entry)) return;
  const after = before.filter((each) => each !== entry);
  const read = (load(editor.toString()) as Model).streams?.[id] ?? {};
  if (after.length === 0 && !(field in read)) delete fields[field];
  else fields[field] = after;
  streams[id] = fields;
}

/** Does it to both; says which streams it was about. */
function perform(edit: Edit, editor: Editor, model: Model): string[] {
  const streams = (model.streams ??= {});
  const ids = Object.keys(streams);
  if (edit.kind === 'top') {
    editor.setTop('status', edit.value);
    model.status = edit.value;
    return [];
  }
  if (edit.kind === 'add') {
    if (ids.includes(edit.id)) return [];
    const fields = { name: 'New', deps: ['api'], plan: edit.plan, attempts: 0 };
    editor.addStream({ id: edit.id, ...fields });
    streams[edit.id] = fields;
    return [edit.id];
  }
  const id = ids[edit.pick % ids.length];
  if (id === undefined) return [];
  if (edit.kind === 'remove') {
    const { withComment } = edit;
    editor.removeStream(id, { withComment });
    delete streams[id];
    return [id];
  }
  if (edit.kind === 'rename') return rename(editor, model, { from: id, to: edit.to });
  if (edit.kind === 'shorten') {
    shorten(editor, streams, { id, field: edit.field, entry: edit.entry });
    return [id];
  }
  const fields = { ...streams[id] };
  if (edit.kind === 'text') {
    editor.setText(id, edit.field, edit.value);
    streams[id] = { ...fields, [edit.field]: edit.value };
    return [id];
  }
  if (edit.kind === 'deps') {
    editor.addDeps(id, edit.deps);
    const before = (fields['deps'] as string[] | null | undefined) ?? [];
    const after = [...before, ...new Set(edit.deps.filter((dep) => !before.includes(dep)))];
    if (after.length > before.length) streams[id] = { ...fields, deps: after };
    return [id];
  }
  editor.set(id, edit.field, edit.value);
  if (edit.value !== null) streams[id] = { ...fields, [edit.field]: edit.value };
  else if (edit.field in fields) {
    delete fields[edit.field];
    streams[id] = fields;
  }
  return [id];
}

function checkLines(
  { lines, isBlock }: Manuscript,
  after: string,
  touched: ReadonlySet<string>,
): void {
  if (!isBlock) return;
  const result = after.replace(/^\uFEFF/, '').split(/\r?\n/);
  let at = 0;
  for (const { text, stream } of lines) {
    const mayChange = stream === undefined ? /^status|^streams/.test(text) : touched.has(stream);
    if (mayChange) continue;
    const found = result.indexOf(text, at);
    expect(found, `line '${text}' in\n${after}`).toBeGreaterThanOrEqual(at);
    at = found + 1;
  }
}

test('every change reads back as it was meant, and every other line stays', () => {
  fc.assert(
    fc.property(anyManuscript, fc.array(anyEdit, { maxLength: 6 }), (manuscript, edits) => {
      const model = load(manuscript.text) as Model;
      const editor = editManifest(manuscript.text);
      expect(editor.toString()).toBe(manuscript.text);
      const touched = new Set<string>();
      for (const edit of edits) {
        for (const id of perform(edit, editor, model)) touched.add(id);
        const text = editor.toString();
        expect(load(text), text).toEqual(model);
        expect(parse(text), text).toEqual(model);
        checkLines(manuscript, text, touched);
      }
    }),
    { numRuns: effort(600) },
  );
});

test('taking a new stream out again leaves the text as it was', () => {
  fc.assert(
    fc.property(anyManuscript, anyText, (manuscript, plan) => {
      fc.pre(manuscript.text.endsWith('\n'));
      const editor = editManifest(manuscript.text);
      editor.addStream({ id: 'new', name: 'New', plan });
      editor.removeStream('new');
      expect(editor.toString()).toBe(manuscript.text);
    }),
    { numRuns: effort(400) },
  );
});

test('the same change twice changes nothing the second time', () => {
  fc.assert(
    fc.property(anyManuscript, anyText, fc.nat(), (manuscript, value, at) => {
      const editor = editManifest(manuscript.text);
      const id = manuscript.ids[at % manuscript.ids.length]!;
      editor.set(id, 'error', value);
      const once = editor.toString();
      editor.set(id, 'error', value);
      expect(editor.toString()).toBe(once);
      expect(editManifest(once).toString()).toBe(once);
    }),
    { numRuns: effort(400) },
  );
});
