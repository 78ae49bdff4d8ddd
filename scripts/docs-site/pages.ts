// The files of docs/, read in the order of the table of contents.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTENTS, type PageEntry } from './contents.ts';
import { readPage, type ReadPage } from './read-page.ts';

export interface DocsPage extends ReadPage {
  entry: PageEntry;
  markdown: string;
}

/** Comments, each a line, are for those who write the files. */
function withoutComments(markdown: string): string {
  return markdown
    .split('\n')
    .filter((line) => !line.startsWith('<!--'))
    .join('\n');
}

export function readPages(folder: string): DocsPage[] {
  const drawing = (path: string) => {
    const isDrawing = /^[a-z0-9-]+\.svg$/.test(path) && existsSync(join(folder, path));
    return isDrawing ? readFileSync(join(folder, path), 'utf8') : undefined;
  };
  return CONTENTS.flatMap(({ pages }) => pages).map((entry) => {
    const markdown = withoutComments(readFileSync(join(folder, `${entry.name}.md`), 'utf8'));
    return { entry, markdown, ...readPage(markdown, drawing) };
  });
}
