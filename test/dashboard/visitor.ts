// Somebody at the dashboard, in a real browser. Whatever goes wrong on the way is collected: errors on the
// console, requests to elsewhere, and what a checker of accessibility finds.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { newPerson } from '../accounts/people.ts';
import type { Person } from '../accounts/people.ts';
import type { TestServer } from '../support/server.ts';
import { giveBack, takePage } from './browser-pages.ts';

/** After seconds without an answer of its database, which a machine with too much to do can bring about. */
const STOOD_STILL = /responded with a status of 503/;
/** In plain letters: with any other the browser takes two bytes for each. */
const AXE = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
).replaceAll(
  /[\u0080-\uffff]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

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
  /** What `act` lets the browser save. */
  saved(act: () => Promise<void>): Promise<{ name: string; text: string }>;
  close(): Promise<void>;
}

const DRAWN =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))';

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

export async function savedFrom(
  page: Page,
  act: () => Promise<void>,
): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  const text = await readFile(await file.path(), 'utf8');
  await file.delete();
  return { name: file.suggestedFilename(), text };
}

export interface VisitorOptions {
  person?: Person;
  /** The team they have chosen, if not their own. */
  teamId?: string;
}

export async function newVisitor(
  server: TestServer,
  options: VisitorOptions = {},
): Promise<Visitor> {
  const person = options.person ?? (await newPerson(server));
  const page = await takePage(server.url);
  const context = page.context();
  const [name = '', value = ''] = person.cookie!.split('=');
  await context.addCookies([{ name, value, url: server.url }]);
  if (options.teamId !== undefined) {
    await page.addInitScript(`localStorage.setItem('millrace.team', '${options.teamId}')`);
  }
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' || STOOD_STILL.test(message.text())) return;
    problems.push(message.text());
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
      // Until it is drawn, some of it has the colours of before.
      await page.evaluate(DRAWN);
      expect(await violationsOn(page, ['color-contrast']), `${page.url()}, dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
    },
    // Each is told once, by the test in which it came up.
    expectQuiet: () => expect(problems.splice(0)).toEqual([]),
    forgetRefusals() {
      const others = problems.filter((text) => !/responded with a status of 4\d\d/.test(text));
      problems.splice(0, problems.length, ...others);
    },
    saved: (act) => savedFrom(page, act),
    // A script that was added to a page stays with it.
    close: async () =>
      giveBack(server.url, options.teamId === undefined ? page : await context.newPage()),
  };
}

/** Somebody who may look at what the team of this person has, and change nothing. */
export async function newViewer(server: TestServer, { teamId }: Person): Promise<Visitor> {
  const person = await newPerson(server);
  await server.db.query(
    `insert into team_members (team_id, user_id, role) values ($1, $2, 'viewer')`,
    [teamId, person.userId],
  );
  return newVisitor(server, { person, teamId });
}
