// Tables of the page: what a field is, whether it must be there, and what it must keep to.
import { text } from './document.ts';
import { html, joined, type Fragment, type Html } from '../html.ts';
import { inline, prose } from './prose.ts';
import { limitsOf, open, rowsOf, typeOf, type Place, type Row } from './schema.ts';

/** Long names may break after a dot or an underscore, never in the middle of a word. */
export function breakable(name: string): Fragment {
  return breakingBetween(name.split(/(?<=[._\]])(?=\w)/));
}

export function breakingBetween(parts: readonly string[]): Fragment {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [html`<wbr />`, part]));
}

/** A wide table scrolls by itself, also by keyboard, instead of widening the page. */
export function scrollable(label: string, content: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">
    ${content}
  </div>`;
}

/** `rows`: each a `<tr>`. */
export function tableOf(label: string, columns: readonly string[], rows: Fragment): Html {
  return scrollable(
    label,
    html`<table>
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`,
  );
}

export function notes(limits: readonly string[], description: string): Fragment {
  return [
    description === '' ? null : html`<span class="about">${inline(description)}</span>`,
    limits.length === 0 ? null : html`<span class="limits">${joined(limits, '; ')}</span>`,
  ];
}

export type Direction = 'request' | 'response';

export function presence(required: boolean, direction: Direction): Fragment {
  if (direction === 'response') return required ? 'always' : 'sometimes';
  return required ? html`<span class="required">required</span>` : 'optional';
}

function rowHtml(row: Row, direction: Direction): Html {
  if (row.kind === 'caption') {
    return html`<tr class="caption">
      <th colspan="4" scope="colgroup">${row.text}</th>
    </tr>`;
  }
  return html`<tr>
    <th scope="row"><code>${breakable(row.name)}</code></th>
    <td><span class="type">${row.type}</span></td>
    <td>${presence(row.required, direction)}</td>
    <td>${notes(row.limits, row.description)}</td>
  </tr>`;
}

export interface SchemaTable {
  place: Place;
  label: string;
  direction: Direction;
}

export function schemaHtml(schema: unknown, { place, label, direction }: SchemaTable): Html {
  const rows = rowsOf(schema, '', place);
  const { node } = open(schema, place);
  if (rows.length === 0) {
    return html`<p>
      <span class="type">${typeOf(schema, place)}</span>
      ${notes(limitsOf(node), text(node['description']))}
    </p>`;
  }
  const columns = ['Field', 'Type', 'Presence', 'Notes'];
  const table = tableOf(
    label,
    columns,
    rows.map((row) => rowHtml(row, direction)),
  );
  return html`${prose(text(node['description']))} ${table}`;
}
