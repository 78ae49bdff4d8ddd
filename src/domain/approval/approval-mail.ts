// The mail to those who may answer what runs ask. It has titles as plain text and no detail, which may be secret, and its
// link opens a page; nothing in it answers.
import { composeMail } from '../accounts/mail-texts.ts';
import type { MailText } from '../accounts/mail-texts.ts';

export interface ApprovalMailTimes {
  /** What is answered sooner is not mailed about, and what is asked meanwhile is in the same mail. */
  settleMs: number;
  /** Between two mails to a person about the same team. */
  everyMs: number;
  /** Signals may be lost. */
  recheckMs: number;
}

const MINUTE = 60_000;
export const APPROVAL_MAIL_TIMES: ApprovalMailTimes = {
  settleMs: MINUTE / 3,
  everyMs: 5 * MINUTE,
  recheckMs: MINUTE / 2,
};

const MOST_TITLES = 10;
const MAX_TITLE = 200;

/** Written by a model: one line, in which programs that read mail find no address to make a link of. */
function plainTitle(title: string): string {
  const line = title
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('://', ': //')
    .replaceAll(/\bwww\./gi, 'www .')
    .trim();
  return (line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line).toWellFormed();
}

export function approvalMail(about: {
  teamName: string;
  /** The oldest first; at least one. */
  questions: readonly { id: string; title: string }[];
  publicUrl: string;
}): MailText {
  const { teamName, questions, publicUrl } = about;
  const count = questions.length;
  const titles = questions.slice(0, MOST_TITLES).map(({ title }) => `- ${plainTitle(title)}`);
  const left = count - titles.length;
  const base = publicUrl.replace(/(?<!\/)\/+$/, '');
  const [only] = questions;
  const link =
    count === 1
      ? { label: 'Open the question', url: `${base}/approvals/${only!.id}` }
      : { label: 'Open the questions', url: `${base}/approvals` };
  return composeMail(
    `${count === 1 ? '1 question needs' : `${count} questions need`} you on Millrace`,
    [
      `In the team ${plainTitle(teamName)}, runs wait for an answer that you may give:`,
      ...titles,
      ...(left > 0 ? [`and ${left} more`] : []),
    ],
    link,
    `The link opens a page and answers nothing. You asked for these emails; turn them off in your account: ${base}/settings/account`,
  );
}
