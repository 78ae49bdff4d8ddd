// Somebody's access ends while they are being checked: what was read before must not let them in afterwards.
import { expect, it } from 'vitest';
import type { Identity } from '../../src/domain/access/identity.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import { createAccessWatch } from '../../src/services/access-watch.ts';
import { createIdentityService } from '../../src/services/identity.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { useServer } from '../support/use-server.ts';
import { newPerson } from './people.ts';
import type { Person } from './people.ts';

const server = useServer({ role: 'api' });

/** A store whose next answer comes as late as told; the store itself has answered long before. */
function lateAnswers(db: Db): { db: Db; delay(): { read: Promise<void>; deliver(): void } } {
  let late: { read(): void; delivered: Promise<void> } | undefined;
  return {
    delay() {
      const read = Promise.withResolvers<void>();
      const delivered = Promise.withResolvers<void>();
      late = { read: read.resolve, delivered: delivered.promise };
      return { read: read.promise, deliver: delivered.resolve };
    },
    db: {
      ...db,
      async read(statement, values) {
        const answer = await db.read<never>(statement, values);
        const own = late;
        late = undefined;
        own?.read();
        await own?.delivered;
        return answer;
      },
    },
  };
}

const newSignals = () =>
  createSignals({ originId: 'sig_late', db: server().db, onError: () => undefined });

/** Checks the caller twice: the first answer comes after `end` has taken their access away, and told so. */
async function checkWhile(person: Person, teamId: string | undefined, end: () => Promise<unknown>) {
  const signals = newSignals();
  const store = lateAnswers(server().db);
  const log = createLogger({ level: 'silent', scrubber: createScrubber(), write: () => undefined });
  const identities = createIdentityService({ db: store.db, signals, log });
  const caller = { apiKey: undefined, sessionToken: person.cookie!.split('=')[1]!, teamId };
  try {
    // In a team, only the membership is asked for any more.
    if (teamId !== undefined) await identities.authenticate({ ...caller, teamId: undefined });
    const answer = store.delay();
    const checking = identities.authenticate(caller);
    await answer.read;
    await end();
    signals.emit('identity', [person.userId]);
    answer.deliver();
    await checking;
    return await identities.authenticate(caller);
  } finally {
    await identities.close();
  }
}

it('forgets a session that ended while it was looked up', async () => {
  const person = await newPerson(server());
  const checked = checkWhile(person, undefined, () =>
    server().db.query('delete from sessions where user_id = $1', [person.userId]),
  );
  await expect(checked).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

it('forgets a membership that ended while it was looked up', async () => {
  const [{ teamId }, person] = [await newPerson(server()), await newPerson(server())];
  const ids = [teamId, person.userId];
  await server().db.query(
    `insert into team_members (team_id, user_id, role) values ($1, $2, 'viewer')`,
    ids,
  );
  const checked = checkWhile(person, teamId, () =>
    server().db.query('delete from team_members where team_id = $1 and user_id = $2', ids),
  );
  await expect(checked).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('ends a stream that opens after the access of its caller changed, and no other', () => {
  const signals = newSignals();
  const watch = createAccessWatch(signals);
  const open = (userId: string, moment: number) =>
    watch.until({ userId, teamId: `team of ${userId}` } as Identity, moment, gone.signal);
  const gone = new AbortController();
  const before = watch.moment();
  signals.emit('identity', ['a', 'team of b']);
  expect(open('a', before).aborted).toBe(true);
  expect(open('b', before).aborted).toBe(true);
  const others = open('c', before);
  const checkedAnew = open('a', watch.moment());
  expect([others.aborted, checkedAnew.aborted]).toEqual([false, false]);
  signals.emit('identity', ['a']);
  expect([others.aborted, checkedAnew.aborted]).toEqual([false, true]);
  gone.abort();
  expect(others.aborted).toBe(true);
  watch.close();
});
