// What an account or a team has, as one archive. Made while it is sent: nothing of it is kept here.
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { ServiceError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/permissions.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { isWithinScope } from '../../domain/access/identity.ts';
import { listApiKeys } from '../../store/accounts/api-keys.ts';
import { listMembers } from '../../store/accounts/members.ts';
import { listProviderKeys } from '../../store/accounts/provider-keys.ts';
import { listSessions } from '../../store/accounts/sessions.ts';
import { findTeam, listTeams } from '../../store/accounts/teams.ts';
import { findUser } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import { approvalsOf, reviewFilesOf, reviewsOf } from '../../store/export/approval-rows.ts';
import { runRequestsOf, runnersOf } from '../../store/export/runner-rows.ts';
import type { Rows } from '../../store/export/pages.ts';
import {
  auditOf,
  executionsOf,
  jobsOf,
  runsOf,
  schedulesOf,
  streamsOf,
  triggersOf,
  usageOf,
  webhooksOf,
} from '../../store/export/team-rows.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { TextStore } from '../../store/jobs/archived-texts.ts';
import type { Access } from '../access.ts';
import type { LimitService } from '../limits.ts';

export interface Archive {
  fileName: string;
  stream: Readable;
}

export interface ExportService {
  /** The account, with all that is in its personal team. */
  ofAccount(actor: Actor): Promise<Archive>;
  ofTeam(actor: Actor, teamId: string): Promise<Archive>;
}

/** An export reads everything that a user has. */
const A_MINUTE = 2;

type RowsOf = (db: Db, teamId: string, texts?: TextStore) => Rows;

/** With the scope that a key needs to read the same elsewhere. */
const TABLES: readonly { name: string; rowsOf: RowsOf; scope: Scope }[] = [
  { name: 'runs.jsonl', rowsOf: runsOf, scope: 'history' },
  { name: 'streams.jsonl', rowsOf: streamsOf, scope: 'history' },
  { name: 'approvals.jsonl', rowsOf: approvalsOf, scope: 'approvals' },
  { name: 'reviews.jsonl', rowsOf: reviewsOf, scope: 'approvals' },
  { name: 'review-files.jsonl', rowsOf: reviewFilesOf, scope: 'approvals' },
  { name: 'run-requests.jsonl', rowsOf: runRequestsOf, scope: 'runs' },
  { name: 'runners.jsonl', rowsOf: runnersOf, scope: 'runs' },
  { name: 'jobs.jsonl', rowsOf: jobsOf, scope: 'jobs' },
  { name: 'executions.jsonl', rowsOf: executionsOf, scope: 'executions' },
  { name: 'schedules.jsonl', rowsOf: schedulesOf, scope: 'runs' },
  { name: 'triggers.jsonl', rowsOf: triggersOf, scope: 'runs' },
  { name: 'webhooks.jsonl', rowsOf: webhooksOf, scope: 'webhooks' },
  { name: 'usage.jsonl', rowsOf: usageOf, scope: 'billing' },
  { name: 'audit.jsonl', rowsOf: auditOf, scope: 'admin' },
];

const ABOUT = `Files that end in .json hold one JSON value, files that end in .jsonl one JSON value a line.
Secrets are not in here: keys are masked, and passwords and tokens are stored as hashes only.
`;

/** An archive that lacks something says so. */
function leftOutFor(actor: Actor): string {
  const missing = TABLES.filter(({ scope }) => !isWithinScope(actor, scope));
  if (missing.length === 0) return '';
  const names = missing.map(({ name, scope }) => `${name} (scope ${scope})`).join(', ');
  return `Left out, because the API key lacks their scopes: ${names}.\n`;
}

async function* lines(rows: Rows): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

// The package's type says only what it needs of a stream.
const outputOf = (zip: ZipFile) => zip.outputStream as Readable;

const indented = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

export function createExportService(deps: {
  db: Db;
  access: Access;
  limits: LimitService;
  texts: TextStore | undefined;
}): ExportService {
  const { db, texts } = deps;

  /** Tables are asked for when their turn comes, so that only one of them is being read. */
  function addTables(zip: ZipFile, actor: Actor, teamId: string): void {
    let reading: Readable | undefined;
    // A reader that is gone needs no more rows.
    outputOf(zip).once('close', () => reading?.destroy());
    for (const { name, rowsOf, scope } of TABLES) {
      if (!isWithinScope(actor, scope)) continue;
      zip.addReadStreamLazy(name, (give) => {
        const rows = Readable.from(lines(rowsOf(db, teamId, texts)));
        // The package does not listen for errors of streams that it asks for late.
        rows.on('error', (error) => zip.emit('error', error));
        reading = rows;
        give(null, rows);
      });
    }
  }

  function archiveOf(zip: ZipFile, actor: Actor, name: string): Archive {
    zip.addBuffer(Buffer.from(ABOUT + leftOutFor(actor)), 'README.txt');
    zip.end();
    const day = new Date().toISOString().slice(0, 10);
    const stream = outputOf(zip);
    // A table that cannot be read to its end breaks the download off: half an archive must not look whole.
    zip.on('error', (error: Error) => stream.destroy(error));
    return { fileName: `millrace-${name}-${day}.zip`, stream };
  }

  return {
    async ofAccount(actor) {
      const { userId } = actor;
      await deps.limits.take(`export of ${userId}`, A_MINUTE);
      const teams = await listTeams(db, userId);
      const own = teams.find(({ personal }) => personal);
      const user = await findUser(db, userId);
      if (own === undefined || user === undefined) {
        throw new ServiceError('NOT_FOUND', 'There is no such account.');
      }
      const { id, email, name, isAdmin } = user;
      const keys = await listApiKeys(db, userId);
      const providerKeys = await listProviderKeys(db, { userId, teamId: own.id });
      const zip = new ZipFile();
      zip.addBuffer(indented({ id, email, name, isAdmin }), 'account.json');
      zip.addBuffer(indented(teams), 'teams.json');
      zip.addBuffer(indented(await listSessions(db, userId)), 'sessions.json');
      zip.addBuffer(indented(keys), 'api-keys.json');
      const masked = providerKeys.map(({ owner, provider, masked: shown, valid, createdAt }) => ({
        owner,
        provider,
        maskedKey: shown,
        valid,
        createdAt,
      }));
      zip.addBuffer(indented(masked), 'provider-keys.json');
      addTables(zip, actor, own.id);
      await writeAudit(db, {
        action: 'account.exported',
        actor: auditActorOf(actor),
        ...aboutAccount(userId),
      });
      return archiveOf(zip, actor, 'account');
    },

    async ofTeam(actor, teamId) {
      await deps.access.mayInTeam(actor, teamId, 'manage');
      await deps.limits.take(`export of ${teamId}`, A_MINUTE);
      const team = await findTeam(db, teamId, actor.userId);
      if (team === undefined) throw new ServiceError('NOT_FOUND', 'There is no team with this id.');
      const zip = new ZipFile();
      const { role: _, ...shown } = team;
      zip.addBuffer(indented(shown), 'team.json');
      zip.addBuffer(indented(await listMembers(db, teamId)), 'members.json');
      addTables(zip, actor, teamId);
      const about = { actor: auditActorOf(actor), teamId, target: teamId };
      await writeAudit(db, { action: 'team.exported', ...about });
      return archiveOf(zip, actor, team.slug);
    },
  };
}
