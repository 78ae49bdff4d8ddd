// Which account a person gets who comes from a provider of single sign-on. The provider says who they are
// there; that they own an account here is another matter. An email address alone lets nobody into an account
// that exists, unless the operator has said that the provider can be trusted that far.
import { isSameEmail } from '../../contract/email-address.ts';

/** Shown by the sign-in page, which has a sentence for each. */
export const OIDC_PROBLEMS = [
  'unavailable',
  'cancelled',
  'expired',
  'email-unverified',
  'account-exists',
  'connected-elsewhere',
  'invitation-for-another',
  'invitation-expired',
  'no-account',
  'not-set-up',
  'suspended',
] as const;
export type OidcProblem = (typeof OIDC_PROBLEMS)[number];

export interface OidcSituation {
  /** In its one form, as the provider says; undefined unless it has verified the address. */
  email: string | undefined;
  /** The account that this identity of the provider is connected with. */
  connectedUserId: string | undefined;
  /** The account with the same email address. */
  sameEmailUserId: string | undefined;
  /** Who is signed in here and wants to connect their account. */
  connectTo: string | undefined;
  /** The address of the invitation that the person came with. */
  invitedEmail: string | undefined;
  allowedDomains: readonly string[];
  linkByEmail: boolean;
}

export type OidcDecision =
  | { kind: 'sign-in'; userId: string }
  | { kind: 'connect'; userId: string }
  | { kind: 'create'; email: string }
  | { kind: 'refuse'; problem: OidcProblem };

const refuse = (problem: OidcProblem): OidcDecision => ({ kind: 'refuse', problem });

export function decideOidc(situation: OidcSituation): OidcDecision {
  const { email, connectedUserId, sameEmailUserId, connectTo, invitedEmail } = situation;
  if (connectedUserId !== undefined) {
    const isOther = connectTo !== undefined && connectTo !== connectedUserId;
    return isOther ? refuse('connected-elsewhere') : { kind: 'sign-in', userId: connectedUserId };
  }
  if (connectTo !== undefined) return { kind: 'connect', userId: connectTo };
  if (email === undefined) return refuse('email-unverified');
  if (invitedEmail !== undefined && !isSameEmail(invitedEmail, email)) {
    return refuse('invitation-for-another');
  }
  if (sameEmailUserId !== undefined) {
    return situation.linkByEmail
      ? { kind: 'connect', userId: sameEmailUserId }
      : refuse('account-exists');
  }
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const mayCreate = invitedEmail !== undefined || situation.allowedDomains.includes(domain);
  return mayCreate ? { kind: 'create', email } : refuse('no-account');
}
