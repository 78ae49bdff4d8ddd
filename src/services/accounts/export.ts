// What an account or a team has, as one archive. Made while it is sent: nothing of it is kept here.
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { ServiceError } from '../../contract/errors.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { listApiKeys } from '../../store/accounts/api-keys.ts';
import { listMembers } from '../../store/accounts/members.ts';
import { listProviderKeys } from '../../store/accounts/provider-keys.ts';
import { listSessions } from '../../store/accounts/sessions.ts';
import { findTeam, listTeams } from '../../store/accounts/teams.ts';
import { findUser } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import {
  auditOf,
  executionsOf,
  jobsOf,
  runsOf,
  streamsOf,
  usageOf,
  webhooksOf,
} from '../../store/export/team-rows.ts';
import type { Rows } from '../../store/export/team-rows.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { TextStore } from '../../store/jobs/job-texts.ts';
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

/** An export reads everything that somebody has. */
const A_MINUTE = 2;

type RowsOf = (db: Db, teamId: string, texts?: TextStore) => Rows;

const TABLES: Readonly<Record<string, RowsOf>> = {
  'runs.jsonl': runsOf,
  'streams.jsonl': streamsOf,
  'jobs.jsonl': jobsOf,
  'executions.jsonl': executionsOf,
  'webhooks.jsonl': webhooksOf,
  'usage.jsonl': usageOf,
  'audit.jsonl': auditOf,
};

const ABOUT = `Files that end in .json hold one JSON value, files that end in .jsonl one JSON value a line.
Secrets are not in here: keys are masked, and passwords and tokens are stored as hashes only.
`;

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
  function addTables(zip: ZipFile, teamId: string): void {
    for (const [name, rowsOf] of Object.entries(TABLES)) {
      zip.addReadStreamLazy(name, (give) => {
        const rows = Readable.from(lines(rowsOf(db, teamId, texts)));
        // The package does not listen for errors of streams that it asks for late.
        rows.on('error', (error) => zip.emit('error', error));
        // A reader that is gone needs no more rows.
        outputOf(zip).once('close', () => rows.destroy());
        give(null, rows);
      });
    }
  }

  function archiveOf(zip: ZipFile, name: string): Archive {
    zip.addBuffer(Buffer.from(ABOUT), 'README.txt');
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
      addTables(zip, own.id);
      await writeAudit(db, {
        action: 'account.exported',
        actor: auditActorOf(actor),
        ...aboutAccount(userId),
      });
      return archiveOf(zip, 'account');
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
      addTables(zip, teamId);
      const about = { actor: auditActorOf(actor), teamId, target: teamId };
      await writeAudit(db, { action: 'team.exported', ...about });
      return archiveOf(zip, team.slug);
    },
  };
}
