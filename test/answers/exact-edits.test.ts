// Exact first: an edit whose old text is in the file exactly once is applied as written.
import { expect, it } from 'vitest';
import { applyAnswer } from './apply-answer.ts';
import { EXACT_EDITS, type ExactEdit } from './exact-edits.ts';
import { block, fenced } from './project.ts';

const json = ({ path, oldText, newText }: ExactEdit) =>
  JSON.stringify({ operations: [{ type: 'edit', path, edits: [{ oldText, newText }] }] });
const marked = ({ path, oldText, newText }: ExactEdit) =>
  `edit: ${path}\n<<<<<<< SEARCH\n${oldText}\n=======\n${newText}\n>>>>>>> REPLACE`;
const signed = (sign: string, text: string) => text.replaceAll(/^/gm, sign);
const diff = ({ path, oldText, newText }: ExactEdit) =>
  `--- a/${path}\n+++ b/${path}\n@@ -1,9 +1,9 @@\n${signed('-', oldText)}\n${signed('+', newText)}`;

const patch = ({ path, oldText, newText }: ExactEdit) =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n${signed('-', oldText)}\n${signed('+', newText)}\n*** End Patch`;
const otherJson = ({ path, oldText, newText }: ExactEdit) =>
  JSON.stringify({ command: 'str_replace', path, old_str: oldText, new_str: newText });
const tagged = ({ path, oldText, newText }: ExactEdit) =>
  `<invoke name="edit"><parameter name="path">${path}</parameter><parameter name="old_str">${oldText}</parameter><parameter name="new_str">${newText}</parameter></invoke>`;
const taggedLines = ({ path, oldText, newText }: ExactEdit) =>
  `<edit_file>\n<path>${path}</path>\n<search>\n${oldText}\n</search>\n<replace>\n${newText}\n</replace>\n</edit_file>`;

const TEXT_FORMS: Record<string, (edit: ExactEdit) => string> = {
  'a labelled block': (edit) => fenced(json(edit), 'millrace-artifact'),
  'bare JSON': json,
  'JSON in the words of a tool': otherJson,
};
/** In these, the texts are lines. */
const LINE_FORMS: Record<string, (edit: ExactEdit) => string> = {
  'an edits block': (edit) => block(marked(edit)),
  'SEARCH and REPLACE alone': (edit) => `Here it is.\n\n${marked(edit)}\n`,
  'a diff': (edit) => fenced(diff(edit), 'diff'),
  'a diff without a fence': diff,
  'a patch': patch,
  'a patch in a fence': (edit) => fenced(patch(edit)),
  'a block under the name of its file': (edit) =>
    `**${edit.path}**\n${fenced(marked(edit).slice(marked(edit).indexOf('\n') + 1))}`,
  'tags around texts': tagged,
  'tags around lines': taggedLines,
};

const areLines = ({ before, oldText, newText }: ExactEdit) =>
  `\n${before}`.includes(`\n${oldText}\n`) && !newText.endsWith('\n');

it('there are edits of at least ten languages, and each is in its file once', () => {
  expect(EXACT_EDITS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(EXACT_EDITS.map(({ path }) => path)).size).toBeGreaterThanOrEqual(10);
  for (const { before, oldText, name } of EXACT_EDITS) {
    expect(before.split(oldText), name).toHaveLength(2);
  }
});

it.each(Object.entries({ ...TEXT_FORMS, ...LINE_FORMS }))('as written in %s', (form, render) => {
  const edits = EXACT_EDITS.filter((edit) => Object.hasOwn(TEXT_FORMS, form) || areLines(edit));
  const wrong = edits.flatMap((edit) => {
    const { path, before, oldText, newText, name } = edit;
    const outcome = applyAnswer(render(edit), { [path]: before });
    const [head, tail] = before.split(oldText);
    if (outcome.kind === 'applied' && outcome.files[path] === head + newText + tail) return [];
    return [
      `${name}: ${outcome.kind === 'applied' ? outcome.files[path] : JSON.stringify(outcome)}`,
    ];
  });
  expect(wrong).toEqual([]);
});
