// The documentation for language models: a list of pages, all pages in one text, and the API as Markdown.
import type { OperationGroup } from './reference/document.ts';
import { REFERENCE_PAGE, type Section } from './contents.ts';
import type { DocsPage } from './pages.ts';

const ABOUT = `# Millrace

> Millrace runs language-model work and keeps it safe: manifests in your project, tasks and prompts on a server. It
> is one TypeScript service on PostgreSQL, which comes with it, and a command line.

- Once you have an id, the work finishes, whatever crashes or restarts. Nothing is paid for twice.
- File changes are written all or nothing, checked with your own commands, and rolled back when a check fails.
- Models of Anthropic, OpenAI, Google, OpenRouter, or a server of your own. A simulator (\`sim-*\`) needs no key.

The OpenAPI document is at [/openapi.json](/openapi.json), everything below in one text at
[/llms-full.txt](/llms-full.txt).
`;

export function listOfPages(contents: readonly Section[]): string {
  const sections = contents.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](/docs/${page.name}.md): ${page.about}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return [ABOUT, ...sections].join('\n');
}

/** Without the reference of the API, which would be most of the text: its description says more. */
export function fullText(pages: readonly DocsPage[]): string {
  const texts = pages
    .filter(({ entry }) => entry.name !== REFERENCE_PAGE)
    .map(({ entry, markdown }) => `<!-- /docs/${entry.name} -->\n\n${markdown.trim()}\n`);
  return [ABOUT, ...texts].join('\n');
}

export function referenceMarkdown(groups: readonly OperationGroup[]): string {
  const sections = groups.map(({ name, description, operations }) => {
    const lines = operations.map(
      ({ method, path, summary }) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`,
    );
    return [`## ${name}`, ...(description === '' ? [] : [description]), lines.join('\n')].join(
      '\n\n',
    );
  });
  return `\n${sections.join('\n\n')}\n`;
}
