// What the sign-in page says about what the address says, after a visit at the provider of an organisation.
import type { OidcProblem } from '../../../src/domain/accounts/oidc-decision.ts';

/** 'too-often' is of the route itself. */
const PROBLEMS: Readonly<Record<OidcProblem | 'too-often', string>> = {
  unavailable: 'The single sign-on provider does not answer. Try again in a minute.',
  cancelled: 'The sign-in was cancelled.',
  expired: 'The sign-in took too long or was started in another window. Try again.',
  'email-unverified':
    'The single sign-on provider has not verified your email address. Verify it there, then try again.',
  'account-exists':
    'There is already an account with your email address. Sign in with its password to connect it. If you do not know the password, set a new one: by mail below, or by a link of a server administrator.',
  'connected-elsewhere': 'This identity is connected with another account.',
  'invitation-for-another': 'The invitation is for another email address.',
  'invitation-expired': 'The invitation has expired or was already used. Ask for a new one.',
  'no-account':
    'There is no account for you here. Ask for an invitation, or open the link in yours.',
  'not-set-up': 'This server has no account yet. Its operator creates the first one with a link.',
  suspended: 'This account is suspended. Contact the operator of this server.',
  'too-often': 'Too many attempts. Try again in a minute.',
};

const NOTICES = {
  'address-verified':
    'Your email address is verified. This account may have been set up by another person, so its password, sessions and API keys from before have ended. Create new API keys where you need them.',
};

function textIn(texts: Readonly<Record<string, string>>, name: string | null): string | undefined {
  return name !== null && Object.hasOwn(texts, name) ? texts[name] : undefined;
}

export const problemText = (name: string | null) => textIn(PROBLEMS, name);
export const noticeText = (name: string | null) => textIn(NOTICES, name);
