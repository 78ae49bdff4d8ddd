// What the audit log tells of: every change to access, money or settings. The documents show this table.

export const AUDIT_ACTIONS = {
  'account.created': 'An account was created',
  'account.password_changed': 'A password was changed or reset',
  'account.admin_changed': 'An account became a server administrator, or is none any longer',
  'session.created': 'Somebody signed in',
  'session.refused': 'Somebody tried to sign in with a wrong password',
  'session.ended': 'Sessions were ended',
  'link.created': 'A link was made with which a password can be set',
  'api_key.created': 'An API key was created',
  'api_key.rotated': 'An API key got a successor',
  'api_key.revoked': 'An API key was revoked',
  'team.created': 'A team was created',
  'team.updated': 'The name or the settings of a team were changed',
  'team.deleted': 'A team was deleted',
  'member.invited': 'Somebody was invited to a team',
  'member.added': 'Somebody became a member of a team',
  'member.role_changed': 'The role of a member or of an invitation was changed',
  'member.removed': 'A member was removed or left, or an invitation was withdrawn',
  'provider_key.stored': 'A provider key was stored or replaced',
  'provider_key.deleted': 'A provider key was deleted',
  'webhook.created': 'A webhook was created',
  'webhook.updated': 'A webhook was changed',
  'webhook.deleted': 'A webhook was deleted',
  'webhook.secret_rotated': 'A webhook got a new secret',
  // Server administration
  'account.suspended': 'An account was suspended',
  'account.resumed': 'The suspension of an account was lifted',
  'team.suspended': 'A team was suspended',
  'team.resumed': 'The suspension of a team was lifted',
  'team.tier_changed': 'An operator or a server administrator changed the tier of a team',
  // Billing
  'subscription.changed': 'The plan of a team was changed, canceled or resumed',
  'subscription.in_force': 'A scheduled change of a plan came into force',
  'subscription.synced': 'Stripe reported a change of a plan',
} as const;
export type AuditAction = keyof typeof AUDIT_ACTIONS;
