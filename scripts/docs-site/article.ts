// A page that was written by hand, and the page that lists them all.
import { html, type Html } from './html.ts';
import { CONTENTS, REFERENCE_PAGE, type PageEntry } from './contents.ts';
import { docsMenu, type Framed } from './frame.ts';
import type { DocsPage } from './pages.ts';

export interface Neighbours {
  previous: DocsPage | undefined;
  next: DocsPage | undefined;
}

function step(page: DocsPage | undefined, rel: 'prev' | 'next'): Html | null {
  if (page === undefined) return null;
  return html`<a class="${rel}" rel="${rel}" href="/docs/${page.entry.name}"
    ><span>${rel === 'prev' ? 'Previous' : 'Next'}</span>${page.entry.title}</a
  >`;
}

export function articleHtml(page: DocsPage, { previous, next }: Neighbours): Framed {
  const { name, title, about } = page.entry;
  const section = CONTENTS.find(({ pages }) => pages.some((one) => one.name === name));
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
    menu: docsMenu(name),
    content,
    headings: page.headings,
  };
}

function card({ name, title, about }: PageEntry): Html {
  return html`<li>
    <a class="card" href="/docs/${name}"><strong>${title}</strong><span>${about}</span></a>
  </li>`;
}

export function startHtml(state: 'start' | 'missing' = 'start'): Html {
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
            <a class="button" href="/docs/quickstart">Start in five minutes</a>
            <a class="button quiet" href="/docs/${REFERENCE_PAGE}">API reference</a>
          </p>`;
  return html`<article class="prose start">
    ${head}
    ${CONTENTS.map(
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
