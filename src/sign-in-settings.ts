// The settings of mail: part of the table in config.ts.
import { z } from 'zod';
import { isEmail } from './contract/auth-api.ts';

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
  return isEmail(address) && !/\p{Cc}/u.test(name) ? { name, address } : undefined;
}

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
} as const;

/** What makes no sense without the other. */
export function missingPartners(
  values: Partial<Record<keyof typeof SIGN_IN_SETTINGS, unknown>>,
): string[] {
  const pairs = [
    ['smtpUrl', 'mailFrom'],
    ['mailFrom', 'smtpUrl'],
  ] as const;
  return pairs
    .filter(([one, other]) => values[one] !== undefined && values[other] === undefined)
    .map(([one, other]) => `${SIGN_IN_SETTINGS[one].env} needs ${SIGN_IN_SETTINGS[other].env}`);
}
