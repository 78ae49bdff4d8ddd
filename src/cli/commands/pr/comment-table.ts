// What is said on a request, as a table.
import type { SaidComment } from '../../../orchestrator/index.ts';
import { plain } from '../../terminal/plain-text.ts';
import { printTable } from '../../terminal/print-table.ts';
import type { Column } from '../../terminal/table.ts';

const LONGEST = 200;

function whereOf({ comment: { place } }: SaidComment): string {
  if (place === undefined) return '';
  return plain(place.lines === undefined ? place.path : `${place.path}:${place.lines[0]}`);
}

const COLUMNS: Column<SaidComment>[] = [
  { head: 'FROM', text: ({ comment }) => plain(comment.author) },
  { head: 'MAY PUSH', text: ({ mayWrite }) => (mayWrite ? 'yes' : 'no') },
  { head: 'WHERE', text: whereOf },
  {
    head: 'SAID',
    text: ({ comment: { text, suggestion } }) => {
      const line = text.replaceAll(/\s+/g, ' ').trim();
      return plain(line === '' && suggestion !== undefined ? '(a suggestion)' : line).slice(
        0,
        LONGEST,
      );
    },
    isFlexible: true,
  },
];

export function printComments(said: readonly SaidComment[]): void {
  if (said.length > 0) printTable(COLUMNS, said);
}
