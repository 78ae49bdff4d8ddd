// What people are mailed. Names of teams are chosen by others: they are text here, never markup.
import { escapeHtml } from '../text/escape-html.ts';
import type { Role } from '../../contract/permissions.ts';

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

function compose(
  subject: string,
  what: string,
  link: { label: string; url: string },
  end: string,
): MailText {
  const url = escapeHtml(link.url);
  return {
    subject,
    text: `${what}\n\n${link.label}:\n${link.url}\n\n${end}\n`,
    html: `<p>${escapeHtml(what)}</p>\n<p><a href="${url}">${escapeHtml(link.label)}</a></p>\n<p>${escapeHtml(end)}</p>\n`,
  };
}

export function invitationMail(invitation: {
  teamName: string;
  role: Role;
  invitedBy: string;
  url: string;
}): MailText {
  const { teamName, role, invitedBy, url } = invitation;
  return compose(
    `Join ${teamName} on Millrace`,
    `${invitedBy} invites you to the team ${teamName} on Millrace as ${role}.`,
    { label: 'Accept the invitation', url },
    'The link works once, for 7 days. If you do not know what this is about, ignore this email.',
  );
}

export function passwordMail({ email, url }: { email: string; url: string }): MailText {
  return compose(
    'Set a new Millrace password',
    `We received a request for a new password for ${email} on Millrace.`,
    { label: 'Set a new password', url },
    'The link works once, for 24 hours. If you did not ask for it, ignore this email; your password stays as it is.',
  );
}
