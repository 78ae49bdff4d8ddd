// The whole documentation, made once and kept: every page as HTML and as Markdown, the style, the script, the index
// of the search, and the texts for language models.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fontFaces } from '../look/fonts.ts';
import { operationGroups, record } from '../reference/document.ts';
import { STYLE as REFERENCE_STYLE } from '../reference/assets.ts';
import { renderReference } from '../reference-page.ts';
import { toFile, type WebFile } from '../web/web-files.ts';
import { articleHtml, startHtml } from './article.ts';
import { CONTENTS, REFERENCE_PAGE, type PageEntry, type Section } from './contents.ts';
import { docsMenu, frame, type FrameAssets } from './frame.ts';
import { fullText, listOfPages, referenceMarkdown } from './llms.ts';
import { readPage, type ReadPage } from './read-page.ts';
import { SCRIPT } from './script.ts';
import { searchIndex } from './search-index.ts';
import { STYLE } from './style.ts';

export interface LibraryPage extends ReadPage {
  entry: PageEntry;
  markdown: string;
}

export interface Library {
  /** By what follows "/docs/": pages, their Markdown, and what pages ask for. */
  files: ReadonlyMap<string, WebFile>;
  start: WebFile;
  notFound: WebFile;
  /** llms.txt and llms-full.txt. */
  list: WebFile;
  full: WebFile;
}

/** Comments, each a line, are for those who write the files. */
function withoutComments(markdown: string): string {
  return markdown
    .split('\n')
    .filter((line) => !line.startsWith('<!--'))
    .join('\n');
}

export function readPages(folder: string): LibraryPage[] {
  const drawing = (path: string) => {
    const isDrawing = /^[a-z0-9-]+\.svg$/.test(path) && existsSync(join(folder, path));
    return isDrawing ? readFileSync(join(folder, path), 'utf8') : undefined;
  };
  return CONTENTS.flatMap(({ pages }) => pages).flatMap((entry) => {
    const file = join(folder, `${entry.name}.md`);
    if (!existsSync(file)) return [];
    const markdown = withoutComments(readFileSync(file, 'utf8'));
    return [{ entry, markdown, ...readPage(markdown, drawing) }];
  });
}

/** The table of contents, without the pages that are not there. */
export function presentContents(pages: readonly LibraryPage[]): Section[] {
  const names = new Set(pages.map(({ entry }) => entry.name));
  return CONTENTS.map((section) => ({
    ...section,
    pages: section.pages.filter(({ name }) => names.has(name)),
  }));
}

function imagesIn(folder: string): [string, WebFile][] {
  const images = join(folder, 'images');
  if (!existsSync(images)) return [];
  return readdirSync(images)
    .filter((name) => /\.(?:png|svg|webp)$/.test(name))
    .map((name) => [`images/${name}`, toFile(name, readFileSync(join(images, name)))]);
}

export interface LibraryDeps {
  docsFolder: string;
  webFolder: string;
  openapi: object;
}

export function createLibrary({ docsFolder, webFolder, openapi }: LibraryDeps): Library {
  const files = new Map<string, WebFile>(imagesIn(docsFolder));
  const asset = (name: string, extension: string, text: string) => {
    const file = toFile(`x${extension}`, Buffer.from(text));
    const path = `assets/${name}-${file.etag.slice(1, 13)}${extension}`;
    files.set(path, file);
    return `/docs/${path}`;
  };
  const pages = readPages(docsFolder);
  const contents = presentContents(pages);
  const groups = operationGroups(record(openapi));
  const index = asset('search', '.json', JSON.stringify(searchIndex(pages, groups)));
  const assets: FrameAssets = {
    style: asset('docs', '.css', fontFaces(webFolder) + STYLE + REFERENCE_STYLE),
    script: asset(
      'docs',
      '.js',
      SCRIPT.replace('SEARCH_INDEX', () => index),
    ),
  };
  const text = (name: string, body: string) => toFile(name, Buffer.from(body));
  for (const [at, page] of pages.entries()) {
    const { name } = page.entry;
    const isReference = name === REFERENCE_PAGE;
    const markdown = isReference ? page.markdown + referenceMarkdown(groups) : page.markdown;
    const shown = isReference
      ? renderReference(openapi, assets)
      : frame(
          articleHtml(page, { contents, previous: pages[at - 1], next: pages[at + 1] }),
          assets,
        );
    files.set(name, text('x.html', shown));
    files.set(`${name}.md`, text('x.md', markdown));
  }
  const menu = docsMenu(contents, undefined);
  return {
    files,
    start: text(
      'x.html',
      frame(
        { title: 'Documentation', menu, content: startHtml(contents), markdown: '/llms.txt' },
        assets,
      ),
    ),
    notFound: text(
      'x.html',
      frame({ title: 'Page not found', menu, content: startHtml(contents, 'missing') }, assets),
    ),
    list: text('x.txt', listOfPages(contents)),
    full: text('x.txt', fullText(pages)),
  };
}
