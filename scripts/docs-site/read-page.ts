// A Markdown file as a page: its HTML, its headings, where it links to, and its text for the search. Nothing in a
// file becomes HTML but what is rendered here: HTML of its own is left out.
import { Marked, type Token, type Tokens } from 'marked';
import { html, trusted, type Html } from './html.ts';
import { scrollable } from './reference/table.ts';
import { codeHtml, readInfo, tabsHtml, type CodeBlock } from './code-block.ts';
import { createAnchors } from './anchors.ts';
import { hrefOf } from './links.ts';

export interface Heading {
  depth: number;
  id: string;
  text: string;
}

export interface TextSection {
  /** Empty for what comes before the first heading. */
  id: string;
  heading: string;
  text: string;
}

export interface ReadPage {
  title: string;
  body: Html;
  headings: Heading[];
  /** As written, for the check of dead links. */
  links: string[];
  sections: TextSection[];
}

/** What the file of a drawing has in it; undefined where there is none. */
export type ReadDrawing = (path: string) => string | undefined;

function plainText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? [])
    .map((token) => {
      if (token.type === 'html') return '';
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows]
          .flat()
          .map((cell) => `${plainText(cell.tokens)} `)
          .join('');
      }
      if (token.type === 'list') {
        return (token as Tokens.List).items.map((item) => `${plainText(item.tokens)} `).join('');
      }
      const inner = 'tokens' in token && token.tokens ? plainText(token.tokens) : undefined;
      return inner ?? ('text' in token ? String(token.text) : token.type === 'space' ? ' ' : '');
    })
    .join('');
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): TextSection[] {
  const sections: TextSection[] = [{ id: '', heading: '', text: '' }];
  let next = 0;
  for (const token of tokens) {
    if (token.type === 'heading') {
      if (token['depth'] === 1) continue;
      const { id, text } = headings[next++]!;
      sections.push({ id, heading: text, text: '' });
    } else {
      const last = sections.at(-1)!;
      last.text = `${last.text} ${plainText([token])}`.replaceAll(/\s+/g, ' ').trim();
    }
  }
  return sections;
}

function codeOf(token: Token): CodeBlock | undefined {
  if (token.type !== 'code') return undefined;
  const { lang, text } = token as Tokens.Code;
  return { ...readInfo(lang ?? ''), code: text };
}

/** The blocks of a page, with those that belong together as one. */
function groups(tokens: readonly Token[]): (Token | CodeBlock[])[] {
  const all: (Token | CodeBlock[])[] = [];
  for (const token of tokens) {
    const code = codeOf(token);
    const last = all.at(-1);
    if (code?.label !== undefined && Array.isArray(last)) last.push(code);
    else if (code?.label !== undefined) all.push([code]);
    else if (token.type !== 'space') all.push(token);
  }
  return all;
}

export function readPage(markdown: string, readDrawing: ReadDrawing = () => undefined): ReadPage {
  const headings: Heading[] = [];
  const links: string[] = [];
  let title = '';
  const anchors = createAnchors();
  const tables = new Map<string, number>();
  /** By the heading above; the second one there gets a number. */
  const tableName = (near: string): string => {
    const count = (tables.get(near) ?? 0) + 1;
    tables.set(near, count);
    return count === 1 ? `Table: ${near}` : `Table ${count}: ${near}`;
  };
  const marked = new Marked({
    renderer: {
      html: () => '',
      code: (token) => codeHtml(codeOf(token)!).html,
      heading(token) {
        const inner = trusted(this.parser.parseInline(token.tokens));
        const text = plainText(token.tokens);
        if (token.depth === 1) {
          title = text;
          return html`<h1>${inner}</h1>`.html;
        }
        const id = anchors(text);
        headings.push({ depth: token.depth, id, text });
        const level = trusted(`h${token.depth}`);
        return html`<${level} id="${id}"><a class="anchor" href="#${id}">${inner}</a></${level}>`
          .html;
      },
      link(token) {
        links.push(token.href);
        const inner = trusted(this.parser.parseInline(token.tokens));
        return html`<a href="${hrefOf(token.href)}">${inner}</a>`.html;
      },
      image({ href, text }) {
        const drawing = readDrawing(href);
        if (drawing === undefined) return html`<img src="${hrefOf(href)}" alt="${text}" />`.html;
        // Part of the page, so that it takes the colours of its theme.
        const named = drawing.replace(
          '<svg',
          () => html`<svg role="img" aria-label="${text}"`.html,
        );
        return html`<span class="drawing" role="group" aria-label="Drawing" tabindex="0"
          >${trusted(named)}</span
        >`.html;
      },
      table(token) {
        const row = (cells: Tokens.TableCell[], tag: 'th' | 'td') =>
          cells.map((cell) => {
            const inner = trusted(this.parser.parseInline(cell.tokens));
            const isTitle = tag === 'th' && cell.text !== '';
            return isTitle ? html`<th scope="col">${inner}</th>` : html`<td>${inner}</td>`;
          });
        // A table without titles needs no row for them.
        const hasHead = token.header.some(({ text }) => text !== '');
        return scrollable(
          tableName(headings.at(-1)?.text ?? title),
          html`<table>
            ${
              hasHead
                ? html`<thead>
                    <tr>
                      ${row(token.header, 'th')}
                    </tr>
                  </thead>`
                : null
            }
            <tbody>
              ${token.rows.map(
                (cells) =>
                  html`<tr>
                    ${row(cells, 'td')}
                  </tr>`,
              )}
            </tbody>
          </table>`,
        ).html;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const body = groups(tokens).map((group) =>
    Array.isArray(group) ? tabsHtml(group) : trusted(marked.parser([group])),
  );
  return { title, body: html`${body}`, headings, links, sections: sectionsOf(tokens, headings) };
}
