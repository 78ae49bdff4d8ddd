// Somebody at the dashboard, in a real browser. Whatever goes wrong on the way is collected: errors on the
// console, requests to elsewhere, and what a checker of accessibility finds.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { newPerson } from '../accounts/people.ts';
import type { Person } from '../accounts/people.ts';
import type { TestServer } from '../support/server.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Visitor {
  person: Person;
  /** An API key of the same person, for what happens outside of the browser. */
  key: string;
  page: Page;
  context: BrowserContext;
  /** Opens a page of the dashboard and waits until it has something to show. */
  open(path: string): Promise<void>;
  /** Fails for anything that axe finds on the page as it is now, in both themes. */
  expectAccessible(): Promise<void>;
  /** Fails for errors on the console and requests to other places, so far. */
  expectQuiet(): void;
  /** Requests that were meant to be refused: the browser writes each of them to the console. */
  forgetRefusals(): void;
  close(): Promise<void>;
}

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/** `rules`: all of them, if none are named. */
export async function violationsOn(page: Page, rules: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const options = {
    resultTypes: ['violations'],
    ...(rules.length > 0 ? { runOnly: rules } : {}),
  };
  const found = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Violation[];
  return found.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join('; ')}`,
  );
}

export async function newVisitor(
  browser: Browser,
  server: TestServer,
  options: { person?: Person; width?: number } = {},
): Promise<Visitor> {
  const person = options.person ?? (await newPerson(server));
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const [name = '', value = ''] = person.cookie!.split('=');
  await context.addCookies([{ name, value, url: server.url }]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  context.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) {
      problems.push(`asked ${request.url()}`);
    }
  });
  const { key } = await server.createKey({ email: person.email });
  return {
    person,
    key,
    page,
    context,
    async open(path) {
      await page.goto(server.url + path);
      await page.locator('main h1').first().waitFor();
    },
    async expectAccessible() {
      expect(await violationsOn(page), page.url()).toEqual([]);
      // The same page in other colours: nothing else can be wrong with it.
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await violationsOn(page, ['color-contrast']), `${page.url()}, dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
    },
    expectQuiet: () => expect(problems).toEqual([]),
    forgetRefusals() {
      const others = problems.filter((text) => !/responded with a status of 4\d\d/.test(text));
      problems.splice(0, problems.length, ...others);
    },
    close: () => context.close(),
  };
}
