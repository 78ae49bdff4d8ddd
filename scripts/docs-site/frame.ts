// What all pages of the documentation share: the bar at the top, the menu at the side, the list of headings. They ask
// for one style and one script of this server and nothing else, and read well without the script.
import { html, trusted, type Fragment, type Html } from './html.ts';
import { CONTENTS } from './contents.ts';
import { ICON, MARK } from './mark.ts';
import type { Heading } from './read-page.ts';

/** Addresses of what every page loads. */
export interface FrameAssets {
  style: string;
  script: string;
  searchIndex: string;
}

export interface Framed {
  title: string;
  about?: string;
  /** Where the same page is as Markdown. */
  markdown?: string;
  /** The menu at the side. */
  menu: Html;
  content: Fragment;
  headings?: readonly Heading[];
}

export function docsMenu(current: string | undefined): Html {
  return html`<nav class="side" id="menu" aria-label="Documentation">
    ${CONTENTS.map(
      ({ title, pages }, index) =>
        html`<p class="group" id="group-${index}">${title}</p>
          <ul aria-labelledby="group-${index}">
            ${pages.map(
              (page) =>
                html`<li>
                  <a
                    href="/docs/${page.name}"
                    ${page.name === current ? html` aria-current="page"` : null}
                    >${page.title}</a
                  >
                </li>`,
            )}
          </ul>`,
    )}
  </nav>`;
}

function onThisPage(headings: readonly Heading[]): Html | null {
  const shown = headings.filter(({ depth }) => depth <= 3);
  if (shown.length < 2) return null;
  return html`<nav class="toc" aria-labelledby="toc-title">
    <p class="group" id="toc-title">On this page</p>
    <ul>
      ${shown.map(
        ({ depth, id, text }) => html`<li class="d${depth}"><a href="#${id}">${text}</a></li>`,
      )}
    </ul>
  </nav>`;
}

const MENU_ICON = trusted(
  '<svg viewBox="0 0 20 20" aria-hidden="true" class="icon"><path d="M3 5.5h14M3 10h14M3 14.5h14"/></svg>',
);
const SEARCH_ICON = trusted(
  '<svg viewBox="0 0 20 20" aria-hidden="true" class="icon"><circle cx="9" cy="9" r="5.5"/><path d="m13.2 13.2 3.8 3.8"/></svg>',
);
const THEME_ICON = trusted(
  '<svg viewBox="0 0 20 20" aria-hidden="true" class="icon"><circle cx="10" cy="10" r="6.5"/><path class="half" d="M10 3.5a6.5 6.5 0 0 1 0 13z"/></svg>',
);

function bar(searchIndex: string): Html {
  // What needs the script is hidden until there is one.
  return html`<header class="bar">
    <button
      class="plain menu"
      type="button"
      aria-label="Menu"
      aria-expanded="false"
      aria-controls="menu"
      hidden
    >
      ${MENU_ICON}<span>Menu</span>
    </button>
    <a class="brand" href="/docs"
      >${trusted(MARK)}<span>Millrace</span> <span class="docs">Docs</span></a
    >
    <button class="search" type="button" aria-label="Search" data-index="${searchIndex}" hidden>
      ${SEARCH_ICON}<span>Search</span><kbd>/</kbd>
    </button>
    <a class="out" href="/docs/api">API</a>
    <a class="out" href="/">Dashboard</a>
    <button class="plain theme" type="button" aria-label="Change theme" hidden>
      ${THEME_ICON}
    </button>
  </header>`;
}

export function frame(page: Framed, assets: FrameAssets): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${page.title} · Millrace</title>
        ${page.about === undefined ? null : html`<meta name="description" content="${page.about}" />`}
        ${page.markdown === undefined ? null : html`<link rel="alternate" type="text/markdown" href="${page.markdown}" />`}
        ${trusted(ICON)}
        <link rel="stylesheet" href="${assets.style}" />
        <script src="${assets.script}"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${bar(assets.searchIndex)}
        <div class="page">
          ${page.menu}
          <main id="content" tabindex="-1">${page.content}</main>
          ${onThisPage(page.headings ?? [])}
        </div>
      </body>
    </html> `.html;
}
