// Machines that take run requests. A runner asks for work and says with the same request what it has under way; while it
// does, what it has taken is its own.
import { RUNNER_ID_PATTERN } from '../../contract/run-request-api.ts';
import type {
  AnnouncedRunner,
  AnnounceRunner,
  PollRunner,
  PolledRunner,
  Project,
  Runner,
  TakenRequest,
} from '../../contract/runner-api.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecretToken, newSecretToken } from '../../platform/secret-token.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { lockLimits } from '../../store/runners/lock-limits.ts';
import { tellRequests } from '../../store/runners/request-events.ts';
import {
  claimAgain,
  claimRunRequest,
  failOrphans,
  listUnknown,
  renewLeases,
} from '../../store/runners/run-requests.ts';
import type { RunRequestRow } from '../../store/runners/run-requests.ts';
import {
  deleteRunner,
  insertRunner,
  listRunners,
  renewRunner,
  setDraining,
  setMaxRunning,
  setRunnerProjects,
  touchRunner,
} from '../../store/runners/runners.ts';
import type { TouchedRunner } from '../../store/runners/runners.ts';
import { createWakeUp } from '../live/wake-up.ts';
import { watchAbsence } from './absence.ts';
import type { RunnerViews } from './runner-views.ts';

export interface RunnerService {
  /** The first time, and whenever what it has has changed or it starts again. */
  announce(actor: Actor, runner: AnnounceRunner): Promise<AnnouncedRunner>;
  poll(identity: Identity, id: string, poll: PollRunner, gone: AbortSignal): Promise<PolledRunner>;
  list(identity: Identity): Promise<Runner[]>;
  find(identity: Identity, id: string): Promise<Runner>;
  setDraining(actor: Actor, id: string, isDraining: boolean): Promise<Runner>;
  remove(actor: Actor, id: string): Promise<void>;
  projects(identity: Identity): Promise<Project[]>;
  setMaxRunning(identity: Identity, name: string, maxRunning: number | null): Promise<Project>;
  close(): void;
}

const MAX_RUNNERS = 500;

function superseded(): ServiceError {
  const message =
    'This runner was removed, or another process has announced itself as it. Announce it again.';
  return new ServiceError('CONFLICT', message);
}

const missing = () => new ServiceError('NOT_FOUND', 'There is no runner with this id.');

export function createRunners(deps: {
  db: Db;
  signals: Signals;
  views: RunnerViews;
  leaseSeconds: number;
  serverVersion: string;
}): RunnerService {
  const { db, signals, views, leaseSeconds, serverVersion } = deps;
  const waiting = new Map<string, Set<() => void>>();
  const off = signals.on('requests', (teams) => {
    for (const team of teams) for (const wake of waiting.get(team) ?? []) wake();
  });

  const tell = (teamId: string) => signals.emit('requests', [teamId]);
  const absence = watchAbsence(leaseSeconds, tell);

  /** Says that it is there, to those who look at it too when that is news. */
  async function touch(me: { id: string; teamId: string; userId: string; session: number }) {
    const alive = await touchRunner(db, me, leaseSeconds);
    if (alive === undefined) throw superseded();
    absence.expect(me);
    if (alive.wasAway) tell(me.teamId);
    return alive;
  }

  async function findShown(teamId: string, id: string): Promise<Runner> {
    const found = (await views.runners(teamId)).find((each) => each.id === id);
    if (found === undefined) throw missing();
    return found;
  }

  /** As many as it has room for, one transaction each: a claim that fails gives none of the others back. */
  async function takeSome(
    { teamId }: Identity,
    { id, ...runner }: TouchedRunner & { id: string },
    { free, busy }: PollRunner,
  ): Promise<TakenRequest[]> {
    const taken: TakenRequest[] = [];
    if (!runner.hasQueue || runner.isDraining) return taken;
    const blocked = new Set(busy);
    while (taken.length < free) {
      const names = runner.projects.filter((name) => !blocked.has(name));
      if (names.length === 0) break;
      const token = newSecretToken('rq');
      const row = await db.tx(async (tx) => {
        await lockLimits(tx, { teamId, names });
        const { name, labels } = runner;
        const asks = { id, name, teamId, labels, projects: names, leaseSeconds };
        return claimRunRequest(tx, asks, hashSecretToken(token));
      });
      if (row === undefined) break;
      taken.push(takenOf(row, token));
      // Whether it has room for another one of this project only the runner knows: it asks again.
      blocked.add(row.project);
    }
    if (taken.length > 0) tell(teamId);
    return taken;
  }

  /** What was given to it and never came there: a runner that began anew, or an answer that was lost on its way. */
  async function giveAgain(id: string, { running }: PollRunner): Promise<TakenRequest[]> {
    const known = running.map((each) => each.id);
    const unknown = await listUnknown(db, id, known);
    const again = unknown.map(async (requestId) => {
      const token = newSecretToken('rq');
      const hash = hashSecretToken(token);
      const row = await claimAgain(db, { id: requestId, runnerId: id, leaseSeconds }, hash);
      return row && takenOf(row, token);
    });
    return (await Promise.all(again)).filter((each) => each !== undefined);
  }

  return {
    async announce(actor, { id, projects, ...facts }) {
      const { teamId, userId } = actor;
      const names = projects.map(({ name }) => name);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) {
        throw invalid('projects', 'named_twice', `There are two projects called "${twice}".`);
      }
      const known = id !== undefined && RUNNER_ID_PATTERN.test(id) ? id : undefined;
      const runner = await db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        const who = { teamId, userId, facts };
        const renewed =
          known === undefined ? undefined : await renewRunner(tx, { ...who, id: known });
        const made = { id: known ?? '', session: renewed ?? 0 };
        if (renewed === undefined) {
          if ((await listRunners(tx, teamId, leaseSeconds)).length >= MAX_RUNNERS) {
            const message = `A team has ${MAX_RUNNERS} runners at most. Remove some.`;
            throw new ServiceError('CONFLICT', message);
          }
          made.id = newId('rnr');
          made.session = await insertRunner(tx, { ...who, id: made.id });
          await writeAudit(tx, {
            action: 'runner.added',
            actor: auditActorOf(actor),
            teamId,
            target: made.id,
            after: { name: facts.name },
          });
        }
        await setRunnerProjects(tx, { id: made.id, teamId }, projects);
        return made;
      });
      tell(teamId);
      return { ...runner, leaseSeconds, serverVersion };
    },

    async poll(identity, id, poll, gone) {
      const { teamId, userId } = identity;
      const signal = AbortSignal.any([gone, AbortSignal.timeout(Math.round(poll.wait * 1000))]);
      const { wake, next } = createWakeUp(signal);
      const wakers = waiting.get(teamId) ?? new Set();
      waiting.set(teamId, wakers.add(wake));
      const me = { id, teamId, userId, session: poll.session };
      const again = async () => {
        await touch(me);
        return giveAgain(id, poll);
      };
      const look = async (): Promise<PolledRunner> => {
        const alive = await touch(me);
        const own = await renewLeases(db, id, poll.running, leaseSeconds);
        const start = await takeSome(identity, { id, ...alive }, poll);
        return {
          start,
          cancel: own.filter(({ isCancelled }) => isCancelled).map((each) => each.id),
          lost: poll.running
            .filter((each) => !own.some((mine) => mine.id === each.id))
            .map((each) => each.id),
          draining: alive.isDraining,
        };
      };
      try {
        const start = await again();
        if (start.length > 0) return { start, cancel: [], lost: [], draining: false };
        for (;;) {
          const news = await look();
          const hasNews = [news.start, news.cancel, news.lost].some((each) => each.length > 0);
          if (hasNews || signal.aborted) return news;
          // A signal may be lost.
          await next(Math.min(5000, (leaseSeconds * 1000) / 4));
          // What nobody reads must not be taken.
          if (gone.aborted) return { start: [], cancel: [], lost: [], draining: news.draining };
        }
      } finally {
        wakers.delete(wake);
        if (wakers.size === 0 && waiting.get(teamId) === wakers) waiting.delete(teamId);
      }
    },

    list: ({ teamId }) => views.runners(teamId),
    find: ({ teamId }, id) => findShown(teamId, id),

    async setDraining(actor, id, isDraining) {
      const { teamId } = actor;
      if (!(await setDraining(db, { id, teamId }, isDraining))) throw missing();
      tell(teamId);
      return findShown(teamId, id);
    },

    async remove(actor, id) {
      const { teamId } = actor;
      const pending = collectSignals();
      await db.tx(async (tx: Queryable) => {
        const { name } = await findShown(teamId, id);
        if (!(await deleteRunner(tx, { id, teamId }))) throw missing();
        const message = `The runner ${name} was removed, and the files of this are there alone.`;
        await failOrphans(tx, id, message);
        await writeAudit(tx, {
          action: 'runner.removed',
          actor: auditActorOf(actor),
          teamId,
          target: id,
          before: { name },
        });
        tellRequests(pending, teamId);
      });
      pending.sendBy(signals);
    },

    projects: ({ teamId }) => views.projects(teamId),

    async setMaxRunning({ teamId }, name, maxRunning) {
      const isThere = await setMaxRunning(db, { teamId, name }, maxRunning);
      const found = isThere ? await views.projects(teamId) : [];
      const project = found.find((each) => each.name === name);
      if (project === undefined) {
        throw new ServiceError('NOT_FOUND', 'There is no project of this name.');
      }
      tell(teamId);
      return project;
    },
    close() {
      off();
      absence.close();
    },
  };
}

function takenOf(row: RunRequestRow, token: string): TakenRequest {
  const {
    id,
    teamId,
    fence,
    work,
    email,
    userName: name,
    originKind: origin,
    base,
    runIds,
    writer,
  } = row;
  return {
    id,
    fence,
    token,
    teamId,
    work,
    requestedBy: { email, name },
    origin,
    base,
    runIds,
    writer,
  };
}
