import type { Artifact, Operation } from '../../contract/artifact.ts';
import { NO_NEWLINE } from './unified-diff.ts';
import { readBodyText } from './body-text.ts';
import { elisionIn } from './elision.ts';
import { findFences } from './fences.ts';
import { markerLengthFor } from './search-replace.ts';

/** The JSON form, in its fence. Line breaks inside are escaped, so no content can close it early. */
export function renderArtifactBlock(artifact: Artifact): string {
  return `\`\`\`millrace-artifact\n${JSON.stringify(artifact, null, 2)}\n\`\`\``;
}

/** The plain-text form, in a fence longer than every fence inside it. */
export function renderEditsBlock(operations: readonly Operation[]): string {
  const body = operations.map(renderOperation).join('\n');
  const fence = '`'.repeat(Math.max(4, longestFence(body) + 1));
  return `${fence}millrace-edits\n${body}${fence}`;
}

function renderOperation(operation: Operation): string {
  const { type, path } = operation;
  const name = path.startsWith('`') ? `\`${path}\`` : path;
  const base =
    'baseSha256' in operation && operation.baseSha256 !== undefined
      ? `baseSha256: ${operation.baseSha256}\n`
      : '';
  const head = `${type}: ${name}\n${base}`;
  if (operation.type === 'delete') return head;
  if ('content' in operation) return head + renderBody(path, operation.content);
  const edits = operation.edits.map((edit) => {
    const length = markerLengthFor([edit.oldText, edit.newText]);
    const all = edit.replaceAll === true ? ' ALL' : '';
    return (
      `${'<'.repeat(length)} SEARCH${all}\n${edit.oldText}\n${'='.repeat(length)}\n` +
      `${edit.newText}\n${'>'.repeat(length)} REPLACE\n`
    );
  });
  return head + edits.join('');
}

/** Whether the text would be taken for changes, or for a text with something left out. */
function mayMislead(path: string, content: string): boolean {
  if (readBodyText(content, path, '').kind !== 'whole') return true;
  return elisionIn({ type: 'create', path, content }) !== undefined;
}

function renderBody(path: string, content: string): string {
  const fence = '`'.repeat(longestFence(content) + 1);
  const ended = content === '' || content.endsWith('\n');
  const word = mayMislead(path, content) ? 'whole' : '';
  return `${fence}${word}\n${content}${ended ? '' : '\n'}${fence}\n${ended ? '' : `${NO_NEWLINE}\n`}`;
}

function longestFence(text: string): number {
  const fences = findFences(text);
  let longest = 2;
  for (let fence = 0; fence < fences.count; fence++) {
    longest = Math.max(longest, fences.lengthOf(fence));
  }
  return longest;
}
