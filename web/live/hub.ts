// Many tabs, one connection. What a topic has told so far is kept while somebody follows it, so that a tab
// that comes later sees the same from the start.
import { createConnection } from './connection.ts';
import type { LiveConnection } from './connection.ts';
import type { ConnectionState, FromWorker, LiveMessage, ToWorker } from './protocol.ts';

export interface HubClient {
  send(message: FromWorker): void;
}

export interface Hub {
  receive(client: HubClient, message: ToWorker): void;
  leave(client: HubClient): void;
}

/** How often tabs are told: one message each for all that has come. */
const FLUSH_MS = 50;

export function createHub(): Hub {
  const clients = new Map<HubClient, { topics: ReadonlySet<string>; teamId: string | undefined }>();
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

  function open(teamId: string | undefined): LiveConnection {
    return createConnection({
      teamId,
      onState(next) {
        state = next;
        sendAll({ kind: 'state', ...next });
      },
      onOpened: () => sendAll({ kind: 'opened' }),
      onSignedOut: () => sendAll({ kind: 'signed-out' }),
      onMessage(message) {
        const kept = told.get(message.topic);
        if (message.topic !== 'team') kept?.push(message);
        waiting.push(message);
        flushing ??= setTimeout(flush, FLUSH_MS);
      },
    });
  }

  function followAll(): void {
    const topics = new Set([...clients.values()].flatMap((each) => [...each.topics]));
    for (const topic of told.keys()) if (!topics.has(topic)) told.delete(topic);
    for (const topic of topics) if (!told.has(topic)) told.set(topic, []);
    current?.connection.follow(topics);
  }

  function change(
    client: HubClient,
    topics: ReadonlySet<string>,
    teamId: string | undefined,
  ): void {
    // What waits is in `told` already, and would come twice.
    if (flushing !== undefined) {
      clearTimeout(flushing);
      flush();
    }
    const before = clients.get(client)?.topics ?? new Set();
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

  function leave(client: HubClient): void {
    clients.delete(client);
    followAll();
  }

  return {
    leave,
    receive(client, message) {
      if (message.kind === 'bye') leave(client);
      else change(client, new Set(message.topics), message.teamId);
    },
  };
}
