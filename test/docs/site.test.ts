// The documentation as the server serves it.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/contract/errors.ts';
import { FAILURE_CODES } from '../../src/contract/job-codes.ts';
import { CONTENTS } from '../../scripts/docs-site/contents.ts';
import { readPages } from '../../scripts/docs-site/pages.ts';
import { isOutside, linkedPage } from '../../scripts/docs-site/links.ts';
import { readPage } from '../../scripts/docs-site/read-page.ts';
import { sharedServer } from '../dashboard/shared-server.ts';
import { filesUnder, fromRoot } from '../pins/tree.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

const pages = readPages(fromRoot('docs'));
const listed = CONTENTS.flatMap((section) => section.pages.map(({ name }) => name));

describe('the files in docs/', () => {
  it('are all in the table of contents, once, with a title', () => {
    const files = filesUnder('docs', '.md').flatMap((path) => {
      const [folder, name = '', ...deeper] = path.split('/');
      return folder === 'docs' && deeper.length === 0 ? [name.replace(/\.md$/, '')] : [];
    });
    expect(files.filter((name) => name !== '' && !listed.includes(name))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    expect(pages.filter(({ title }) => title === '').map(({ entry }) => entry.name)).toEqual([]);
    expect(pages.length).toBe(files.filter((name) => listed.includes(name)).length);
  });

  it('link to pages and headings that are there', () => {
    const anchors = new Map(
      pages.map(({ entry, headings }) => [entry.name, new Set(headings.map(({ id }) => id))]),
    );
    const dead = pages.flatMap(({ entry, links }) =>
      links
        .filter((href) => !isOutside(href))
        .filter((href) => {
          const linked = href.startsWith('#')
            ? { page: entry.name, anchor: href.slice(1) }
            : linkedPage(href);
          const ids = linked && anchors.get(linked.page);
          return ids === undefined || (linked!.anchor !== '' && !ids.has(linked!.anchor));
        })
        .map((href) => `${entry.name}.md: ${href}`),
    );
    expect(dead).toEqual([]);
    expect(pages.flatMap(({ links }) => links).length).toBeGreaterThan(50);
  });
});

it('the page of errors says of every code what to do about it', () => {
  const { sections } = pages.find(({ entry }) => entry.name === 'errors')!;
  const textOf = (id: string) => sections.find((section) => section.id === id)!.text;
  const named = (text: string, code: string) =>
    text.split(/[^A-Z_]+/).filter((word) => word === code);
  const fixes = textOf('what-to-do-about-each');
  expect(Object.keys(ERROR_CODES).filter((code) => named(fixes, code).length === 0)).toEqual([]);
  // Once in the table that is made from the code, once in the one that is written by hand.
  const failures = textOf('failed-jobs-and-executions');
  const missing = Object.keys(FAILURE_CODES).filter((code) => named(failures, code).length < 2);
  expect(missing).toEqual([]);
});

describe('a page', () => {
  it('has anchors as repository hosts make them, tabs, colours, and nothing that a file could smuggle in', () => {
    const page = readPage(
      [
        '# The `title`',
        '## A & B: `c_d`',
        '## A & B: `c_d`',
        '<script>alert(1)</script>',
        '[bad](javascript:alert(1)) [other](manifests.md#learn) <img src=x onerror=alert(1)>',
        '```sh curl\ncurl -d "<b>" $URL\n```\n\n```ts TypeScript\nconst a = 1;\n```',
        '| a | b |\n| - | - |\n| `x` | <i>y</i> |',
      ].join('\n\n'),
    );
    const { html } = page.body;
    expect(page.title).toBe('The title');
    expect(page.headings.map(({ id }) => id)).toEqual(['a--b-c_d', 'a--b-c_d-1']);
    expect(html).toContain('<a href="/docs/manifests#learn">other</a>');
    expect(html).not.toMatch(/<script|<img|<i>|javascript:/);
    expect(html.match(/class="tab"/g)).toHaveLength(2);
    expect(html).toContain('<span class="t-s">&quot;&lt;b&gt;&quot;</span>');
    expect(html).toContain('<span class="t-k">const</span> a = <span class="t-v">1</span>;');
    expect(page.sections.map(({ heading }) => heading)).toEqual(['', 'A & B: c_d', 'A & B: c_d']);
    expect(page.sections[2]!.text).toContain('curl -d "<b>" $URL');
  });
});

describe('served', () => {
  let server: TestServer;
  beforeAll(async () => {
    ({ server } = await sharedServer());
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers, redirect: 'manual' });

  it('every page is there as HTML and as Markdown', async () => {
    verifies('http.docs');
    const start = await (await get('/docs')).text();
    for (const { entry, title } of pages) {
      const page = await get(`/docs/${entry.name}`);
      expect(page.status, entry.name).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const html = await page.text();
      expect(html.match(/<h1/g), entry.name).toHaveLength(1);
      // What makes a table or a drawing hard to find for who does not see it; all of it is checked in a browser.
      const regions = [...html.matchAll(/role="region"[^>]*aria-label="([^"]*)"/g)].map(
        ([, name]) => name,
      );
      expect(regions, entry.name).toEqual([...new Set(regions)]);
      expect(html, entry.name).not.toMatch(/<th[^>]*>\s*<\/th>/);
      expect(html).not.toMatch(/\s(?:on\w+|style)="|<style|<script(?! src="\/docs\/assets\/)/);
      const markdown = await get(`/docs/${entry.name}.md`);
      expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(await markdown.text()).toMatch(new RegExp(`^# ${title.slice(0, 4)}`));
      expect(start).toContain(`href="/docs/${entry.name}"`);
    }
  });

  it('is compressed, and not sent again to who has it', async () => {
    const page = await get('/docs/manifests', { 'accept-encoding': 'br' });
    expect(page.headers.get('content-encoding')).toBe('br');
    expect(page.headers.get('vary')).toContain('accept-encoding');
    const html = await page.text();
    const etag = page.headers.get('etag')!;
    expect((await get('/docs/manifests', { 'if-none-match': etag })).status).toBe(304);
    const [, style = ''] = /href="(\/docs\/assets\/[^"]+\.css)"/.exec(html) ?? [];
    const css = await get(style);
    expect(css.headers.get('cache-control')).toContain('immutable');
    const [, font = ''] = /url\("?(\/docs\/assets\/inter[^)"]+)"?\)/.exec(await css.text()) ?? [];
    expect((await get(font)).headers.get('content-type')).toBe('font/woff2');
  });

  it('answers in Markdown to who asks for it, and says what there is where there is nothing', async () => {
    const asked = await get('/docs/manifests', { accept: 'text/markdown, text/html;q=0.9, */*' });
    expect(asked.headers.get('content-type')).toContain('text/markdown');
    const html = await get('/docs/manifests', { accept: 'text/html, text/markdown' });
    expect(html.headers.get('content-type')).toContain('text/html');
    const missing = await get('/docs/no-such-page', { accept: 'text/html' });
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain('Page not found');
    const { status, body } = await server.call('GET', '/docs/no-such-page');
    expect([status, (body['error'] as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
    expect((await get('/docs/')).headers.get('location')).toBe('/docs');
    expect((await get('/docs/..%2fpackage.json')).status).toBe(404);
  });

  it('has the list of pages and all of them for language models', async () => {
    const list = await get('/llms.txt');
    expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await list.text();
    expect(text).toMatch(/^# Millrace\n\n> /);
    const links = [...text.matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(([, link]) => link!);
    expect(links).toEqual(pages.map(({ entry }) => `/docs/${entry.name}.md`));
    const full = await (await get('/llms-full.txt')).text();
    for (const { title } of pages.filter(({ entry }) => entry.name !== 'api')) {
      expect(full).toContain(`# ${title.slice(0, 4)}`);
    }
    expect(full).not.toContain('<!-- generated');
    expect(await (await get('/docs/api.md')).text()).toContain('`POST /api/v1/execute`');
    const config = readFileSync(fromRoot('package.json'), 'utf8');
    expect((JSON.parse(config) as { files: string[] }).files).toContain('docs');
  });
});
