// Links between the files of docs/ are links between their pages.

const PAGE = /^(?:\.\/)?([a-z0-9-]+)\.md(#.*)?$/;

/** The page and the heading that a link of a document leads to; undefined if it leads elsewhere. */
export function linkedPage(href: string): { page: string; anchor: string } | undefined {
  const found = PAGE.exec(href);
  if (found === null) return undefined;
  return { page: found[1]!, anchor: (found[2] ?? '').slice(1) };
}

export function isOutside(href: string): boolean {
  return /^(?:https?:|mailto:)/.test(href);
}

/** Only addresses that are safe to follow stay. */
export function hrefOf(href: string): string {
  const linked = linkedPage(href);
  if (linked) return `/docs/${linked.page}${linked.anchor === '' ? '' : `#${linked.anchor}`}`;
  return isOutside(href) || href.startsWith('#') || /^images\/[\w.-]+$/.test(href)
    ? href.replace(/^images\//, '/docs/images/')
    : '#';
}
