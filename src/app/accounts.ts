// What accounts are made of: sign-in, sessions, links that work once, API keys and teams.
import { isLoopback } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { INSTALLED, suggestCommand } from '../domain/command/suggested-command.ts';
import { createFlowCookie } from '../http/flow-cookie.ts';
import { createDeviceCookie, createSessionCookie } from '../http/session-cookie.ts';
import { createMailer } from '../platform/mail.ts';
import { createOidcProvider } from '../platform/oidc.ts';
import { createPasswordHasher } from '../platform/password-hash.ts';
import type { Access } from '../services/access.ts';
import { createApprovalMails } from '../services/approvals/approval-mails.ts';
import { createAccountAdmin } from '../services/accounts/account-admin.ts';
import { createAccountLinkService } from '../services/accounts/account-links.ts';
import { createAuditService } from '../services/audit.ts';
import { createAttempts } from '../services/accounts/attempts.ts';
import { createAccountDeletion } from '../services/accounts/delete-account.ts';
import { createExportService } from '../services/accounts/export.ts';
import { createDeviceSignIn } from '../services/accounts/device-sign-in.ts';
import type { LimitService } from '../services/limits.ts';
import { createForgottenPasswords } from '../services/accounts/forgotten-password.ts';
import { createKnownDevices } from '../services/accounts/known-devices.ts';
import { createMails } from '../services/accounts/mails.ts';
import { createOwnProfile } from '../services/accounts/me.ts';
import { createOidcSignIn } from '../services/accounts/oidc-sign-in.ts';
import type { OidcSettings } from '../services/accounts/oidc-sign-in.ts';
import { createOwnApiKeyService } from '../services/accounts/own-api-keys.ts';
import { createPasswords } from '../services/accounts/passwords.ts';
import { createServerAdmin } from '../services/accounts/server-admin.ts';
import { createSignInService } from '../services/accounts/sign-in.ts';
import { createTeamApiKeyService } from '../services/teams/team-api-keys.ts';
import { createTeamMemberService } from '../services/teams/team-members.ts';
import { createTeamService } from '../services/teams/teams.ts';
import { parseMailAddress } from '../config/sign-in-settings.ts';
import { localLaunchOf } from './launch.ts';
import type { Parts } from './parts.ts';
import type { Teardown } from './teardown.ts';

/** As it is written, and as it is sent. */
function passwordsIn(url: string): string[] {
  const { password } = new URL(url);
  if (password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function mailsOf({ smtpUrl: url, mailFrom }: Config, { log, scrubber }: Parts) {
  if (url === undefined || mailFrom === undefined) return createMails({ mailer: undefined, log });
  for (const password of passwordsIn(url)) scrubber.add(password);
  return createMails({ mailer: createMailer({ url, from: parseMailAddress(mailFrom)! }), log });
}

function oidcOf(config: Config, { scrubber }: Parts): OidcSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  if (clientSecret !== undefined) scrubber.add(clientSecret);
  return {
    provider: createOidcProvider({ issuer, clientId, clientSecret }),
    allowedDomains: config.oidcAllowedDomains ?? [],
    linkByEmail: config.oidcLinkByEmail,
  };
}

export function accountServices(
  config: Config,
  parts: Parts & { limits: LimitService; access: Access; publicUrl(): string },
  teardown: Teardown,
) {
  const mails = mailsOf(config, parts);
  teardown.add('mails', () => mails.close());
  if (mails.canSend) {
    const times = config.approvalMailTimes;
    const approvalMails = createApprovalMails({ ...parts, mails, times });
    teardown.add('approval mails', () => approvalMails.close());
  }
  const knownDevices = createKnownDevices(parts);
  const deps = {
    ...parts,
    mails,
    oidc: oidcOf(config, parts),
    knownDevices,
    attempts: createAttempts(parts),
    passwords: createPasswords(createPasswordHasher()),
    defaultTier: config.defaultTier,
  };
  const isHttps = config.publicUrl?.startsWith('https:') === true;
  if (!isHttps && !isLoopback(config.host)) {
    parts.log.warn(
      'People who sign in over plain http can be overheard. Put https in front, and set MILLRACE_PUBLIC_URL to its address.',
    );
  }
  return {
    signIn: createSignInService(deps),
    accountLinks: createAccountLinkService(deps),
    accountAdmin: createAccountAdmin(deps),
    audit: createAuditService(deps),
    exports: createExportService(deps),
    deleteAccount: createAccountDeletion(deps),
    deviceSignIn: createDeviceSignIn(deps),
    serverAdmin: createServerAdmin(deps),
    forgottenPasswords: createForgottenPasswords(deps),
    oidcSignIn: createOidcSignIn(deps),
    flowCookie: createFlowCookie(isHttps),
    signInOptions: {
      ssoName: deps.oidc && config.oidcName,
      canMail: mails.canSend,
      linkCommand: suggestCommand(localLaunchOf(config) ?? INSTALLED, 'admin', 'sign-in-link'),
    },
    ownApiKeys: createOwnApiKeyService(deps),
    teams: createTeamService(deps),
    teamMembers: createTeamMemberService(deps),
    teamApiKeys: createTeamApiKeyService(deps),
    ownProfile: createOwnProfile(deps),
    sessionCookie: createSessionCookie(isHttps),
    deviceCookie: createDeviceCookie(isHttps),
    knownDevices,
    publicOrigin: config.publicUrl,
    trustedProxies: config.trustedProxies ?? [],
  };
}
