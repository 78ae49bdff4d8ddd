// Many tabs, one connection. The messages of a topic are kept while a tab subscribes to it, so that a tab that opens
// later sees the same from the start. All tabs belong to one user: the worker may live longer than a session, so a new
// tab is admitted after the server has said who is signed in. When that is another user, the earlier tabs are signed out.
import { MAX_TOPICS } from '../../src/contract/live-topics.ts';
import { createAskedOnce } from './asked-once.ts';
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

/** How often tabs get messages: one batch each. */
const FLUSH_MS = 50;
const CHECK_AGAIN_MS = 2000;

interface Subscription {
  topics: ReadonlySet<string>;
  teamId: string | undefined;
}

export function createHub(): Hub {
  const clients = new Map<HubClient, Subscription>();
  const asked = createAskedOnce((client) => clients.has(client));
  /** Until it is known who is signed in. */
  const pending = new Map<HubClient, Subscription>();
  /** Signed out: they show what belongs to another user. */
  const dismissed = new WeakSet<HubClient>();
  let owner: string | undefined;
  let checks = 0;
  let newestAnswered = 0;
  /** Messages so far, by topic. */
  const backlog = new Map<string, LiveMessage[]>();
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

  /** Nothing of the user before is left, neither their stream nor its messages. */
  function dismissAll(): void {
    clearTimeout(flushing);
    flushing = undefined;
    waiting = [];
    backlog.clear();
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
    // A later check has answered already.
    if (own < newestAnswered) return true;
    newestAnswered = own;
    const userId = found.kind === 'person' ? found.userId : undefined;
    if (owner !== userId) dismissAll();
    owner = userId;
    return true;
  }

  async function admit(client: HubClient): Promise<void> {
    while (pending.has(client) && !(await checkOwner())) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_AGAIN_MS));
    }
    const subscription = pending.get(client);
    if (subscription === undefined) return;
    pending.delete(client);
    if (owner === undefined) client.send({ kind: 'signed-out' });
    else subscribe(client, subscription);
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
        const kept = backlog.get(message.topic);
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
    for (const topic of backlog.keys()) if (!topics.has(topic)) backlog.delete(topic);
    for (const topic of topics) if (!backlog.has(topic)) backlog.set(topic, []);
    current?.connection.follow(topics);
  }

  function subscribe(client: HubClient, { topics, teamId }: Subscription): void {
    // What waits is in the backlog already, and would come twice.
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
      backlog.clear();
      current = { teamId, connection: open(teamId) };
    }
    client.send({ kind: 'state', ...state });
    const known = [...topics].filter((topic) => !before.has(topic));
    const messages = known.flatMap((topic) => backlog.get(topic) ?? []);
    if (messages.length > 0) client.send({ kind: 'messages', messages });
    followAll();
  }

  function receiveTopics(client: HubClient, subscription: Subscription): void {
    if (dismissed.has(client)) return client.send({ kind: 'signed-out' });
    if (clients.has(client)) return subscribe(client, subscription);
    const isNew = !pending.has(client);
    pending.set(client, subscription);
    if (isNew) void admit(client);
  }

  function leave(client: HubClient): void {
    clients.delete(client);
    pending.delete(client);
    followAll();
  }

  return {
    leave,
    receive(client, message) {
      if (message.kind === 'bye') return leave(client);
      if (message.kind === 'asked')
        return clients.has(client) ? asked.receive(client, message) : undefined;
      receiveTopics(client, { topics: new Set(message.topics), teamId: message.teamId });
    },
  };
}
