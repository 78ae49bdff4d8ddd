// Many tabs, one connection. What a topic has told so far is kept while somebody follows it, so that a tab
// that comes later sees the same from the start. All tabs belong to one person: the worker may live longer than
// a session, so each tab that comes is asked for, and when somebody else has signed in, the tabs before it go.
import { MAX_TOPICS } from '../../src/contract/live-topics.ts';
import { createConnection } from './connection.ts';
import type { LiveConnection } from './connection.ts';
import type { ConnectionState, FromWorker, LiveMessage, ToWorker } from './protocol.ts';
import { whoIsSignedIn } from '../session/who.ts';

export interface HubClient {
  send(message: FromWorker): void;
}

export interface Hub {
  receive(client: HubClient, message: ToWorker): void;
  leave(client: HubClient): void;
}

/** How often tabs are told: one message each for all that has come. */
const FLUSH_MS = 50;
const CHECK_AGAIN_MS = 2000;

interface Wish {
  topics: ReadonlySet<string>;
  teamId: string | undefined;
}

export function createHub(): Hub {
  const clients = new Map<HubClient, Wish>();
  /** Of whom it is not known yet whose tabs they are. */
  const newcomers = new Map<HubClient, Wish>();
  /** Sent away: they show what belongs to somebody else. */
  const dismissed = new WeakSet<HubClient>();
  let owner: string | undefined;
  let checks = 0;
  let newestAnswered = 0;
  const told = new Map<string, LiveMessage[]>();
  let waiting: LiveMessage[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let state: ConnectionState = { connection: 'connecting', since: Date.now() };
  let current: { teamId: string | undefined; connection: LiveConnection } | undefined;

  function sendAll(message: FromWorker): void {
    for (const client of clients.keys()) client.send(message);
  }

  function flush(): void {
    flushing = undefined;
    const messages = waiting;
    waiting = [];
    for (const [client, { topics }] of clients) {
      const own = messages.filter(({ topic }) => topics.has(topic));
      if (own.length > 0) client.send({ kind: 'messages', messages: own });
    }
  }

  /** Nothing of the person before is left, neither their stream nor what it told. */
  function dismissAll(): void {
    clearTimeout(flushing);
    flushing = undefined;
    waiting = [];
    told.clear();
    current?.connection.close();
    current = undefined;
    owner = undefined;
    const before = [...clients.keys()];
    clients.clear();
    for (const client of before) {
      dismissed.add(client);
      client.send({ kind: 'signed-out' });
    }
  }

  /** False when it cannot be said now. */
  async function checkOwner(): Promise<boolean> {
    const own = ++checks;
    const found = await whoIsSignedIn();
    if (found.kind === 'unreachable') return false;
    // Somebody who asked later knows better.
    if (own < newestAnswered) return true;
    newestAnswered = own;
    const userId = found.kind === 'person' ? found.userId : undefined;
    if (owner !== userId) dismissAll();
    owner = userId;
    return true;
  }

  async function welcome(client: HubClient): Promise<void> {
    while (newcomers.has(client) && !(await checkOwner())) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_AGAIN_MS));
    }
    const wish = newcomers.get(client);
    if (wish === undefined) return;
    newcomers.delete(client);
    if (owner === undefined) client.send({ kind: 'signed-out' });
    else change(client, wish);
  }

  function open(teamId: string | undefined): LiveConnection {
    return createConnection({
      teamId,
      onState(next) {
        state = next;
        sendAll({ kind: 'state', ...next });
      },
      onOpened() {
        sendAll({ kind: 'opened' });
        // It may have been opened anew with another cookie.
        void checkOwner();
      },
      onSignedOut: dismissAll,
      onMessage(message) {
        const kept = told.get(message.topic);
        if (message.topic !== 'team') kept?.push(message);
        waiting.push(message);
        flushing ??= setTimeout(flush, FLUSH_MS);
      },
    });
  }

  /** As many as one stream may have, of the tabs that were looked at last; a tab that is looked at again says so. */
  function topicsToFollow(): Set<string> {
    const all = [...clients.values()].toReversed().flatMap((each) => [...each.topics]);
    return new Set([...new Set(all)].slice(0, MAX_TOPICS));
  }

  function followAll(): void {
    const topics = topicsToFollow();
    for (const topic of told.keys()) if (!topics.has(topic)) told.delete(topic);
    for (const topic of topics) if (!told.has(topic)) told.set(topic, []);
    current?.connection.follow(topics);
  }

  function change(client: HubClient, { topics, teamId }: Wish): void {
    // What waits is in `told` already, and would come twice.
    if (flushing !== undefined) {
      clearTimeout(flushing);
      flush();
    }
    const before = clients.get(client)?.topics ?? new Set();
    clients.delete(client);
    clients.set(client, { topics, teamId });
    if (current === undefined || current.teamId !== teamId) {
      // Another team was chosen: nothing of the one before may be shown.
      current?.connection.close();
      told.clear();
      current = { teamId, connection: open(teamId) };
    }
    client.send({ kind: 'state', ...state });
    const known = [...topics].filter((topic) => !before.has(topic));
    const messages = known.flatMap((topic) => told.get(topic) ?? []);
    if (messages.length > 0) client.send({ kind: 'messages', messages });
    followAll();
  }

  function receiveTopics(client: HubClient, wish: Wish): void {
    if (dismissed.has(client)) return client.send({ kind: 'signed-out' });
    if (clients.has(client)) return change(client, wish);
    const isNew = !newcomers.has(client);
    newcomers.set(client, wish);
    if (isNew) void welcome(client);
  }

  function leave(client: HubClient): void {
    clients.delete(client);
    newcomers.delete(client);
    followAll();
  }

  return {
    leave,
    receive(client, message) {
      if (message.kind === 'bye') leave(client);
      else receiveTopics(client, { topics: new Set(message.topics), teamId: message.teamId });
    },
  };
}
