// What the search of the documentation looks through, in the browser: one entry a heading.
import type { SearchEntry } from '../../web/docs/search-score.ts';
import type { OperationGroup } from './reference/document.ts';
import { REFERENCE_PAGE } from './contents.ts';
import type { DocsPage } from './pages.ts';

/** A table of figures says little to a reader who searches for words. */
const LONGEST_TEXT = 4000;

export function searchIndex(
  pages: readonly DocsPage[],
  groups: readonly OperationGroup[],
): SearchEntry[] {
  const written = pages.flatMap(({ entry, sections }) =>
    sections.map(({ id, heading, text }): SearchEntry => {
      const url = `/docs/${entry.name}${id === '' ? '' : `#${id}`}`;
      return [entry.title, heading, url, text.slice(0, LONGEST_TEXT)];
    }),
  );
  const operations = groups.flatMap((group) =>
    group.operations.map(({ anchor, method, path, summary }): SearchEntry => {
      const url = `/docs/${REFERENCE_PAGE}#${anchor}`;
      return ['API reference', summary, url, `${method.toUpperCase()} ${path}`];
    }),
  );
  return [...written, ...operations];
}
