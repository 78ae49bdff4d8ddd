// The settings of mail and of single sign-on: part of the table in settings.ts.
import { z } from 'zod';
import { normalEmail } from '../contract/email-address.ts';
import { httpUrl, onOff } from './setting-values.ts';

const mailAddress = z.string().refine((text) => parseMailAddress(text) !== undefined, {
  message: 'must be an email address, or a name and an address: Millrace <millrace@example.com>',
});

export interface MailAddress {
  name: string;
  address: string;
}

/** `name <address>`, or the address alone. */
export function parseMailAddress(text: string): MailAddress | undefined {
  const match = /^([^<>]*)<([^<>]+)>$/.exec(text);
  const [name, address] = match ? [match[1]!.trim(), match[2]!] : ['Millrace', text];
  return normalEmail(address) !== undefined && !/\p{Cc}/u.test(name)
    ? { name, address }
    : undefined;
}

const issuerUrl = httpUrl.refine(
  (text) => {
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  },
  { message: 'must be an https URL' },
);

const domains = z.string().transform((text, context) => {
  const list = text.split(',').map((one) => one.trim().toLowerCase());
  if (list.every((one) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(one))) return list;
  context.addIssue('must be comma-separated domains such as example.com');
  return z.NEVER;
});

const smtpUrl = z.string().refine(
  (text) => {
    const url = URL.parse(text);
    return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
  },
  { message: 'must look like smtp://user:password@mail.example.com:587' },
);

export const SIGN_IN_SETTINGS = {
  smtpUrl: {
    env: 'MILLRACE_SMTP_URL',
    unset: 'none (nothing is mailed)',
    description:
      'Mail server for invitations and forgotten passwords: `smtp://user:password@mail.example.com:587`, or `smtps://` for TLS from the start.',
    schema: smtpUrl,
  },
  mailFrom: {
    env: 'MILLRACE_MAIL_FROM',
    unset: 'none',
    description:
      'Sender of mail: `millrace@example.com` or `Millrace <millrace@example.com>`. Needed with MILLRACE_SMTP_URL.',
    schema: mailAddress,
  },
  oidcIssuer: {
    env: 'MILLRACE_OIDC_ISSUER',
    unset: 'none (no single sign-on)',
    description:
      'Issuer URL of your OpenID Connect provider. See [single sign-on](single-sign-on.md).',
    schema: issuerUrl,
  },
  oidcClientId: {
    env: 'MILLRACE_OIDC_CLIENT_ID',
    unset: 'none',
    description: 'Client id of Millrace at the provider. Needed with MILLRACE_OIDC_ISSUER.',
    schema: z.string().min(1),
  },
  oidcClientSecret: {
    env: 'MILLRACE_OIDC_CLIENT_SECRET',
    unset: 'none (a public client)',
    description: 'Client secret of Millrace at the provider.',
    schema: z.string().min(1),
  },
  oidcName: {
    env: 'MILLRACE_OIDC_NAME',
    default: 'single sign-on',
    description: 'Name of the provider on the sign-in page: "Continue with ...".',
    schema: z.string().min(1).max(60),
  },
  oidcAllowedDomains: {
    env: 'MILLRACE_OIDC_ALLOWED_DOMAINS',
    unset: 'none (people need an invitation)',
    description:
      'Comma-separated email domains whose people get an account when they first sign in with the provider.',
    schema: domains,
  },
  oidcLinkByEmail: {
    env: 'MILLRACE_OIDC_LINK_BY_EMAIL',
    default: 'off',
    description:
      'Lets people into an existing account by its email address alone: `on` or `off`. Set it only if the provider verifies every email address it reports.',
    schema: onOff,
  },
} as const;

/** What makes no sense without the other. */
export function missingPartners(
  values: Partial<Record<keyof typeof SIGN_IN_SETTINGS, unknown>>,
): string[] {
  const pairs = [
    ['smtpUrl', 'mailFrom'],
    ['mailFrom', 'smtpUrl'],
    ['oidcIssuer', 'oidcClientId'],
    ['oidcClientId', 'oidcIssuer'],
    ['oidcClientSecret', 'oidcIssuer'],
    ['oidcAllowedDomains', 'oidcIssuer'],
  ] as const;
  return pairs
    .filter(([one, other]) => values[one] !== undefined && values[other] === undefined)
    .map(([one, other]) => `${SIGN_IN_SETTINGS[one].env} needs ${SIGN_IN_SETTINGS[other].env}`);
}
