// The pages of the documentation, as the server lists them for readers that are no browsers.

export interface DocsPage {
  title: string;
  url: string;
  about: string;
}

const LINE = /^- \[([^\]]+)\]\((\/docs\/[\w-]+)\.md\): (.+)$/gm;

export function readDocsPages(list: string): DocsPage[] {
  return [...list.matchAll(LINE)].map(([, title = '', url = '', about = '']) => ({
    title,
    url,
    about,
  }));
}

export async function docsPages(): Promise<DocsPage[]> {
  const response = await fetch('/llms.txt');
  return response.ok ? readDocsPages(await response.text()) : [];
}
