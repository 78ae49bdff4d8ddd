// What people are mailed. Names of teams are chosen by others: they are text here, never markup.
import { escapeHtml } from '../text/escape-html.ts';
import type { EndedAccess } from '../../contract/auth-api.ts';
import type { Role } from '../../contract/permissions.ts';

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** `what`: one line, or several. */
export function composeMail(
  subject: string,
  what: string | readonly string[],
  link: { label: string; url: string } | undefined,
  end: string,
): MailText {
  const paragraph = (text: string) => `<p>${text}</p>\n`;
  const anchor = (label: string, url: string) =>
    `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
  const lines = typeof what === 'string' ? [what] : what;
  return {
    subject,
    text: `${lines.join('\n')}\n\n${link ? `${link.label}:\n${link.url}\n\n` : ''}${end}\n`,
    html: [
      lines.map(escapeHtml).join('<br>\n'),
      ...(link ? [anchor(link.label, link.url)] : []),
      escapeHtml(end),
    ]
      .map(paragraph)
      .join(''),
  };
}

export function invitationMail(invitation: {
  teamName: string;
  role: Role;
  invitedBy: string;
  url: string;
}): MailText {
  const { teamName, role, invitedBy, url } = invitation;
  return composeMail(
    `Join ${teamName} on Millrace`,
    `${invitedBy} invites you to the team ${teamName} on Millrace as ${role}.`,
    { label: 'Accept the invitation', url },
    'The link works once, for 7 days. If you do not know what this is about, ignore this email.',
  );
}

export function passwordMail({ email, url }: { email: string; url: string }): MailText {
  return composeMail(
    'Set a new Millrace password',
    `We received a request for a new password for ${email} on Millrace.`,
    { label: 'Set a new password', url },
    'The link works once, for 24 hours. If you did not ask for it, ignore this email; your password stays as it is.',
  );
}

export function addressVerifiedMail({
  email,
  ended,
}: {
  email: string;
  ended: EndedAccess;
}): MailText {
  const parts = [
    ended.password ? 'the password' : undefined,
    ended.sessions > 0 ? `${ended.sessions} sessions` : undefined,
    ended.apiKeys > 0 ? `${ended.apiKeys} API keys` : undefined,
    ended.identities > 0 ? `${ended.identities} single sign-on connections` : undefined,
  ].filter((part) => part !== undefined);
  return composeMail(
    'Earlier access to your Millrace account has ended',
    `You have shown that ${email} is yours. The account may have been set up by another person, so what gave access to it before has ended: ${parts.join(', ')}.`,
    undefined,
    'Create new API keys where you need them. If this was not you, contact the operator of the server.',
  );
}
