// For pages of schedules and triggers: who owns them, and what all of these pages have to keep to.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { announce } from '../runners/fake-runner.ts';
import type { Owner } from '../schedules/schedules.ts';
import type { TestServer } from '../support/server.ts';
import { VIEWPORT } from './browser-pages.ts';
import type { Visitor } from './visitor.ts';

export const HOSTILE = '<img src=x onerror=alert(1)> \u202e$(rm -rf ~)';
/** As long as names may be, with nowhere to break it. */
export const LONG = 'W'.repeat(100);

/** The visitor with a key of their own and a runner that is said to have a project "shop". */
export async function ownerOf(server: TestServer, visitor: Visitor): Promise<Owner> {
  const { email, userId, teamId } = visitor.person;
  const { key } = await server.createKey({ email, scopes: [...SCOPES] });
  await announce(server, key);
  return { server, key, email, userId, teamId };
}

/** Of the times that a list shows. */
export const timesIn = (page: Page, label: string): Promise<(string | null)[]> =>
  page
    .getByRole('list', { name: label })
    .locator('time')
    .evaluateAll((times) => times.map((time) => time.getAttribute('datetime')));

/** No page scrolls sideways on a phone, and axe finds nothing there. */
export async function expectNarrow(visitor: Visitor, paths: readonly string[]): Promise<void> {
  const { page } = visitor;
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of paths) {
    await visitor.open(path);
    await page.getByLabel('Loading').waitFor({ state: 'detached' });
    // The frame keeps its place: what would scroll is the page in it.
    const main = page.locator('main');
    expect(await main.evaluate((node) => node.scrollWidth - node.clientWidth), path).toBe(0);
    expect(await main.evaluate((node) => node.clientWidth), path).toBe(390);
    await visitor.expectAccessible();
  }
  await page.setViewportSize(VIEWPORT);
}
