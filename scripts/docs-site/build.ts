// Builds the documentation into the folder that is named: every page as HTML and as Markdown, the API reference, the
// search index, the texts for language models, and what the pages load. `scripts/build-web.mjs` runs this.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from './api-document.ts';
import { articleHtml, startHtml } from './article.ts';
import { bundleAssets, writeAsset } from './assets.ts';
import { CONTENTS, REFERENCE_PAGE } from './contents.ts';
import { docsMenu, frame, type FrameAssets } from './frame.ts';
import { fullText, listOfPages, referenceMarkdown } from './llms.ts';
import { lostPage } from './lost-page.ts';
import { readPages } from './pages.ts';
import { operationGroups, record } from './reference/document.ts';
import { renderReference } from './reference/page.ts';
import { searchIndex } from './search-index.ts';

const root = join(import.meta.dirname, '..', '..');

async function buildDocs(out: string): Promise<void> {
  const assetFolder = join(out, 'assets');
  mkdirSync(join(out, 'pages'), { recursive: true });
  mkdirSync(assetFolder);
  cpSync(join(root, 'docs', 'images'), join(out, 'images'), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const [openapi, bundled] = await Promise.all([
    apiDocument(version),
    bundleAssets(join(root, 'web'), assetFolder),
  ]);
  const groups = operationGroups(record(openapi));
  const pages = readPages(join(root, 'docs'));
  const index = JSON.stringify(searchIndex(pages, groups));
  const assets: FrameAssets = {
    style: bundled.get('docs.css')!,
    script: bundled.get('docs.js')!,
    searchIndex: writeAsset(assetFolder, 'search.json', index),
  };
  const write = (path: string, text: string) => writeFileSync(join(out, path), text);
  for (const [at, page] of pages.entries()) {
    const { name } = page.entry;
    const isReference = name === REFERENCE_PAGE;
    const neighbours = { previous: pages[at - 1], next: pages[at + 1] };
    const shown = isReference
      ? renderReference(openapi, assets)
      : frame(articleHtml(page, neighbours), assets);
    write(`pages/${name}.html`, shown);
    write(
      `pages/${name}.md`,
      isReference ? page.markdown + referenceMarkdown(groups) : page.markdown,
    );
  }
  const menu = docsMenu(undefined);
  const start = { title: 'Documentation', menu, content: startHtml(), markdown: '/llms.txt' };
  const missing = { title: 'Page not found', menu, content: startHtml('missing') };
  write('index.html', frame(start, assets));
  write('not-found.html', frame(missing, assets));
  write(
    'lost.html',
    lostPage({ style: bundled.get('lost.css')!, script: bundled.get('theme.js')! }),
  );
  write('llms.txt', listOfPages(CONTENTS));
  write('llms-full.txt', fullText(pages));
}

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('Name the folder to build into.');
await buildDocs(out);
