// What the tabs of a browser share, without a browser: many tabs would take long to open, and answers that overtake
// each other cannot be had there on purpose.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_TOPICS } from '../../src/contract/live-topics.ts';
import { createHub } from '../../web/live/hub.ts';
import type { Hub, HubClient } from '../../web/live/hub.ts';
import type { FromWorker } from '../../web/live/protocol.ts';
import { newPerson } from '../accounts/people.ts';
import { waitUntil } from '../support/processes.ts';
import { reportRun } from './reported-run.ts';
import { sharedServer } from './shared-server.ts';

interface Tab extends HubClient {
  topics: readonly string[];
  heard: FromWorker[];
}

let cookie: string | undefined;
let hub: Hub;
let tabs: Tab[];
/** Requests for who is signed in whose answers are held back, in the order they were asked. */
let held: (() => void)[] | undefined;
let following: string[];

beforeEach(async () => {
  const { server } = await sharedServer();
  const { fetch } = globalThis;
  hub = createHub();
  tabs = [];
  held = undefined;
  following = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    // The test's own calls.
    if (!path.startsWith('/')) return fetch(path, init);
    if (path.startsWith('/pages/api/v1/events')) following.push(decodeURIComponent(path));
    const headers = { ...(init.headers as object), ...(cookie === undefined ? {} : { cookie }) };
    const response = await fetch(server.url + path, { ...init, headers });
    if (path === '/pages/api/v1/auth/me' && held !== undefined) {
      await new Promise<void>((release) => held!.push(release));
    }
    return response;
  });
});

afterEach(() => {
  tabs.forEach((tab) => hub.leave(tab));
  vi.unstubAllGlobals();
});

function openTab(...topics: string[]): Tab {
  const heard: FromWorker[] = [];
  const tab = { topics, heard, send: (message: FromWorker) => void heard.push(message) };
  tabs.push(tab);
  lookAt(tab);
  return tab;
}

function lookAt(tab: Tab): void {
  hub.receive(tab, { kind: 'topics', topics: tab.topics, teamId: undefined });
}

const has = (tab: Tab, kind: FromWorker['kind']) => tab.heard.some((each) => each.kind === kind);

/** Whether the tab knows how its run stands. */
const knowsItsRun = ({ heard, topics }: Tab) =>
  heard.some(
    (each) =>
      each.kind === 'messages' &&
      each.messages.some(({ topic, event }) => topics.includes(topic) && event === 'progress'),
  );

describe('the tabs of one browser', () => {
  it('are served however many there are, those that were looked at last', async () => {
    const { server } = await sharedServer();
    const person = await newPerson(server);
    const { key } = await server.createKey({ email: person.email });
    cookie = person.cookie;
    const runs = Array.from({ length: MAX_TOPICS + 3 }, (_, index) => `r-tab-${index}`);
    await Promise.all(runs.map((run) => reportRun(server, key, run)));
    const [first, ...others] = runs.map((run) => ['team', `run:${run}`]);
    const oldest = openTab(...first!);
    await waitUntil(() => knowsItsRun(oldest));
    others.forEach((topics) => openTab(...topics));
    const isServed = () => following.at(-1)!.includes('run:r-tab-0');
    await waitUntil(() => !isServed() && tabs.filter(knowsItsRun).length >= MAX_TOPICS);
    oldest.heard.length = 0;
    lookAt(oldest);
    await waitUntil(() => knowsItsRun(oldest));
    expect(isServed()).toBe(true);
  });

  it('believe the answer to the newest question of who is signed in', async () => {
    const { server } = await sharedServer();
    const [before, now] = [await newPerson(server), await newPerson(server)];
    held = [];
    cookie = before.cookie;
    const old = openTab('team');
    await waitUntil(() => held!.length === 1);
    cookie = now.cookie;
    const young = openTab('team');
    await waitUntil(() => held!.length === 2);
    held[1]!();
    await waitUntil(() => has(young, 'state'));
    held[0]!();
    await waitUntil(() => has(old, 'state'));
    expect(has(young, 'signed-out')).toBe(false);
  });
});
