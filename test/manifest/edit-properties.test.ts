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
  fc.record({ kind: fc.constant('remove' as const), pick }),
);
type Edit = typeof anyEdit extends fc.Arbitrary<infer T> ? T : never;

/** Does it to both; says which stream it was about. */
function perform(
  edit: Edit,
  editor: ReturnType<typeof editManifest>,
  model: Model,
): string | undefined {
  const streams = (model.streams ??= {});
  const ids = Object.keys(streams);
  if (edit.kind === 'top') {
    editor.setTop('status', edit.value);
    model.status = edit.value;
    return undefined;
  }
  if (edit.kind === 'add') {
    if (ids.includes(edit.id)) return undefined;
    const fields = { name: 'New', deps: ['api'], plan: edit.plan, attempts: 0 };
    editor.addStream({ id: edit.id, ...fields });
    streams[edit.id] = fields;
    return edit.id;
  }
  const id = ids[edit.pick % ids.length];
  if (id === undefined) return undefined;
  if (edit.kind === 'remove') {
    editor.removeStream(id);
    delete streams[id];
    return id;
  }
  const fields = { ...streams[id] };
  if (edit.kind === 'deps') {
    editor.addDeps(id, edit.deps);
    const before = (fields['deps'] as string[] | null | undefined) ?? [];
    const after = [...new Set([...before, ...edit.deps])];
    if (after.length > before.length) streams[id] = { ...fields, deps: after };
    return id;
  }
  editor.set(id, edit.field, edit.value);
  if (edit.value !== null) streams[id] = { ...fields, [edit.field]: edit.value };
  else if (edit.field in fields) {
    delete fields[edit.field];
    streams[id] = fields;
  }
  return id;
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
        const id = perform(edit, editor, model);
        if (id !== undefined) touched.add(id);
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
