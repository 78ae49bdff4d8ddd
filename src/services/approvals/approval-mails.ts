// Mails those who may answer what runs ask, and who want it. What was mailed about is written down before the mail is sent:
// a mail that is lost with its process is not sent again, and the question is in the dashboard all the same.
import { whyNotAnswered } from '../../domain/approval/answering.ts';
import { approvalMail } from '../../domain/approval/approval-mail.ts';
import type { ApprovalMailTimes } from '../../domain/approval/approval-mail.ts';
import type { Logger } from '../../platform/log.ts';
import { findMailReaders, takeAskedSince } from '../../store/approvals/approval-mails.ts';
import type { MailReader } from '../../store/approvals/approval-mails.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Mails } from '../accounts/mails.ts';

/** Of one round; the next one has the others. */
const MOST_READERS = 50;

export interface ApprovalMails {
  close(): Promise<void>;
}

export function createApprovalMails(deps: {
  db: Db;
  signals: Signals;
  mails: Mails;
  log: Logger;
  times: ApprovalMailTimes;
  publicUrl(): string;
}): ApprovalMails {
  const { db, signals, mails, log, times } = deps;
  let checking: Promise<void> | undefined;
  let soon: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function mail(reader: MailReader): Promise<void> {
    const { teamName, email } = reader;
    const questions = await db.tx((tx) =>
      takeAskedSince(tx, reader, times, (asked) => whyNotAnswered(asked, reader) === undefined),
    );
    if (questions.length === 0) return;
    mails.send(email, approvalMail({ teamName, questions, publicUrl: deps.publicUrl() }));
  }

  async function checkOnce(): Promise<void> {
    for (const reader of await findMailReaders(db, times, MOST_READERS)) {
      if (isClosed) return;
      await mail(reader);
    }
  }

  function check(): void {
    soon = undefined;
    if (isClosed) return;
    checking ??= checkOnce()
      .catch((error: unknown) => log.warn({ err: error }, 'mailing approvals failed'))
      .finally(() => (checking = undefined));
  }

  const off = signals.on('approvals', () => {
    soon ??= setTimeout(check, times.settleMs + 50);
  });
  const recheck = setInterval(check, times.recheckMs);
  return {
    async close() {
      isClosed = true;
      off();
      clearTimeout(soon);
      clearInterval(recheck);
      await checking;
    },
  };
}
