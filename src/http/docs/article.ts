// A page that was written by hand, and the page that lists them all.
import { html, type Html } from '../reference/html.ts';
import { REFERENCE_PAGE, type PageEntry, type Section } from './contents.ts';
import { docsMenu, type Framed } from './frame.ts';
import type { LibraryPage } from './library.ts';

export interface Neighbours {
  contents: readonly Section[];
  previous: LibraryPage | undefined;
  next: LibraryPage | undefined;
}

function step(page: LibraryPage | undefined, rel: 'prev' | 'next'): Html | null {
  if (page === undefined) return null;
  return html`<a class="${rel}" rel="${rel}" href="/docs/${page.entry.name}"
    ><span>${rel === 'prev' ? 'Previous' : 'Next'}</span>${page.entry.title}</a
  >`;
}

export function articleHtml(page: LibraryPage, { contents, previous, next }: Neighbours): Framed {
  const { name, title, about } = page.entry;
  const section = contents.find(({ pages }) => pages.some((one) => one.name === name));
  const markdown = `/docs/${name}.md`;
  const content = html`<article class="prose">
      <p class="crumb">${section?.title}</p>
      ${page.body}
    </article>
    <footer class="end">
      <a class="source" href="${markdown}">This page as Markdown</a>
      <nav class="steps" aria-label="Pages">${step(previous, 'prev')}${step(next, 'next')}</nav>
    </footer>`;
  return {
    title: page.title || title,
    about,
    markdown,
    menu: docsMenu(contents, name),
    content,
    headings: page.headings,
  };
}

function card({ name, title, about }: PageEntry): Html {
  return html`<li>
    <a class="card" href="/docs/${name}"><strong>${title}</strong><span>${about}</span></a>
  </li>`;
}

export function startHtml(
  contents: readonly Section[],
  state: 'start' | 'missing' = 'start',
): Html {
  const has = (name: string) =>
    contents.some(({ pages }) => pages.some((page) => page.name === name));
  const head =
    state === 'missing'
      ? html`<h1>Page not found</h1>
          <p class="lead">
            There is no page at this address. It may have moved; these are all there are.
          </p>`
      : html`<h1>Documentation</h1>
          <p class="lead">
            Millrace runs language-model work and keeps it safe: manifests in your project, tasks
            and prompts on a server.
          </p>
          <p class="row">
            ${has('quickstart') ? html`<a class="button" href="/docs/quickstart">Start in five minutes</a>` : null}
            <a class="button quiet" href="/docs/${REFERENCE_PAGE}">API reference</a>
          </p>`;
  return html`<article class="prose start">
    ${head}
    ${contents.map(
      ({ title, pages }, index) =>
        html`<h2 id="section-${index}">${title}</h2>
          <ul class="cards" aria-labelledby="section-${index}">
            ${pages.map(card)}
          </ul>`,
    )}
    <h2 id="for-programs">For programs and language models</h2>
    <p>
      <a href="/openapi.json">OpenAPI document</a>, <a href="/llms.txt">llms.txt</a> (the list of
      pages), <a href="/llms-full.txt">llms-full.txt</a> (all of them). Every page is also Markdown:
      add <code>.md</code> to its address.
    </p>
  </article>`;
}
