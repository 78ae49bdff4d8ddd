import { rules } from './rules.ts';

export const AUTH_RULES = [
  ...rules('interface 5', 'auth', {
    'auth.api-key.header': 'The job API takes the API key in X-API-Key.',
    'auth.bearer': 'The API key is taken from Authorization: Bearer.',
    'auth.api-key.prefix': 'API keys begin with a fixed prefix of the service.',
    'auth.missing': 'A request without a key is UNAUTHORIZED with 401.',
    'auth.invalid': 'A key that is not known is UNAUTHORIZED with 401.',
    'auth.forbidden': 'A caller without rights to a resource gets FORBIDDEN with 403.',
  }),
  ...rules('interface 5', 'dashboard', {
    'auth.session-cookie': 'The job API takes the session cookie of the dashboard as well.',
  }),
  ...rules('interface 7', 'auth', {
    'auth.expired': 'An expired key is UNAUTHORIZED with 401.',
    'auth.expired.clock': "Whether a key has expired is judged by the database's clock.",
  }),
  ...rules('decisions 1', 'auth', {
    'auth.api-key.shape':
      'A key is mill_sk_, 32 base62 characters, then six that are the CRC32 of what precedes.',
    'auth.api-key.checksum': 'A key with a wrong checksum is refused without a look-up.',
    'auth.api-key.hashed': 'Only a SHA-256 of a key is stored.',
  }),
  ...rules('decisions 1', 'operator-cli', {
    'auth.api-key.shown-once': 'A key is shown once, when it is made.',
  }),
  ...rules('decisions 1', 'dashboard', {
    'auth.session-cookie.name':
      'The cookie is millrace_session, with the __Host- prefix under https.',
  }),
  ...rules('decisions 2', 'auth', {
    'auth.both-forms': 'Either header is accepted wherever a key is needed.',
    'auth.foreign-resource': "Someone else's resource is 403, one that does not exist is 404.",
    'auth.suspended': 'A suspended account gets ACCOUNT_SUSPENDED with 403.',
  }),
];

export const LIMIT_RULES = [
  ...rules('interface 7', 'limits', {
    'limits.rate.code': 'Too many requests are RATE_LIMITED with 429.',
    'limits.quota.code': 'A used-up monthly quota is QUOTA_EXCEEDED with 402.',
  }),
  ...rules('interface 8', 'limits', {
    'limits.rate.tiers': 'A minute has room for 10 requests (trial), 60 (pro) or 120 (team).',
    'limits.rate.enterprise': 'The enterprise tier has a rate of its own choosing.',
    'limits.rate.per-user': 'The rate is counted per user, not per key.',
    'limits.rate.retry-after': 'A 429 carries Retry-After in seconds.',
  }),
  ...rules('decisions 2', 'limits', {
    'limits.rate.burst': 'A whole minute may be used at once; then requests refill evenly.',
    'limits.rate.retry-after-integer': 'Retry-After is an integer of at least 1.',
    'limits.rate.headers':
      'Every response carries RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset.',
    'limits.rate.across-nodes': 'Several nodes together allow no more than one would.',
    'limits.rate.long-requests': 'A long poll or an SSE stream counts once, when it opens.',
  }),
  ...rules('decisions 2', 'executions', {
    'limits.rate.executions': 'The executions API has the same rates in a bucket of its own.',
  }),
  ...rules('decisions 2', 'accounts', {
    'limits.rate.login':
      'Login allows 5 tries a minute per network address and account, and 100 an hour per account.',
    'limits.rate.known-device':
      'A device that has signed in before has tries of its own: guesses from elsewhere do not lock it out.',
    'limits.rate.sign-up': 'Sign-up allows 5 tries a minute per network address.',
  }),
  ...rules('decisions 8', 'limits', {
    'limits.quota.tiers': 'A month has 50 runs (trial), 1000 (pro), 5000 (team) or no limit.',
    'limits.quota.counts-at-start': 'A run counts against the quota when it starts.',
    'limits.quota.ended-run':
      'A job that joins a run which ended a while ago, or counted in another month, counts as a run.',
    'limits.quota.cancelled-pending': 'A run cancelled while pending does not count.',
    'limits.quota.server-fault': 'A run lost to a fault of the server does not count.',
    'limits.quota.details': 'A 402 carries details {used, limit, resetsAt}.',
    'limits.quota.reset': 'The quota starts anew on the 1st at 00:00 UTC.',
    'limits.concurrency.tiers':
      'At once run 2 jobs (trial), 10 (pro), 25 (team) or as many as there are.',
    'limits.concurrency.waits': 'Jobs above that wait as pending; they do not fail.',
    'limits.tiers.one-table': 'The figures of the tiers are data in one place.',
    'limits.tiers.file': 'A file of the operator (MILLRACE_TIERS) changes figures of the tiers.',
    'limits.tier.default': 'A new account is enterprise.',
    'limits.tier.setting': 'MILLRACE_DEFAULT_TIER names another tier for new accounts.',
  }),
  ...rules('decisions 8', 'executions', {
    'limits.quota.dry-run': 'A dry run does not count against the quota.',
  }),
];

export const ACCOUNT_RULES = [
  ...rules('decisions 9', 'accounts', {
    'accounts.api-keys.create':
      'POST /api/v1/api-keys {name, scopes?, expiresInDays?} answers 201 and shows the key once.',
    'accounts.api-keys.list': 'GET /api/v1/api-keys lists keys without their secrets.',
    'accounts.api-keys.rotate':
      'POST /api/v1/api-keys/:id/rotate answers 201; the old key lives gracePeriodHours more (0 to 168, 24 by default).',
    'accounts.api-keys.revoke':
      'DELETE /api/v1/api-keys/:id answers 200 and holds on every node within 5 seconds.',
    'accounts.api-keys.scopes':
      'Scopes are jobs, executions, history, keys, webhooks, teams, billing and admin; without a list, all but admin.',
    'accounts.api-keys.scopes-everywhere':
      'Streams and exports hold nothing that the scopes of a key do not open.',
    'accounts.audit':
      'GET /v1/audit lists every change to keys, members, webhooks, billing and settings.',
  }),
  ...rules('decisions 9', 'dashboard', {
    'accounts.setup-link': 'The first start prints a set-up link that works once.',
    'accounts.login': 'POST /api/v1/auth/login, /logout and GET /auth/me exist.',
    'accounts.password-hash': 'Passwords are hashed with argon2id or scrypt.',
    'accounts.session.stored-hashed': 'Only a hash of a session token is stored.',
    'accounts.session.lifetime': 'A session lives 7 days since its last use, 30 days in all.',
    'accounts.session.same-origin':
      'Unsafe methods under a cookie need proof that they come from the same origin.',
  }),
  ...rules('decisions 9', 'accounts', {
    'accounts.device-login': 'The command line logs in with a device code.',
  }),
];

export const PROVIDER_KEY_RULES = [
  ...rules('interface 2.5', 'provider-keys', {
    'provider-keys.fields': 'A stored key shows provider, maskedKey and createdAt.',
    'provider-keys.masked': 'maskedKey is the prefix, an ellipsis and the last four characters.',
    'provider-keys.never-returned': 'The raw key is never returned.',
    'provider-keys.valid': 'valid is in the reply to storing a key and nowhere else.',
    'provider-keys.encrypted': 'Stored keys are encrypted with AES-256-GCM.',
  }),
  ...rules('interface 4.1', 'provider-keys', {
    'provider-keys.list': 'GET /api/v1/keys answers {keys}.',
    'provider-keys.store':
      'POST /api/v1/keys {provider, key, tosAccepted} answers {provider, maskedKey, valid, createdAt}.',
    'provider-keys.tested':
      'Before storing, the key is tried at the vendor for at most 10 seconds.',
    'provider-keys.delete': 'DELETE /api/v1/keys/:provider answers {deleted, provider}.',
  }),
  ...rules('decisions 6', 'provider-keys', {
    'provider-keys.store.status': 'Storing answers 201, replacing 200.',
    'provider-keys.rejected':
      'A key the vendor refuses is 400 with the detail PROVIDER_REJECTED_KEY and is not stored.',
    'provider-keys.unreachable':
      'When the vendor cannot be asked, the key is stored with valid false and checked at first use.',
    'provider-keys.tos': 'tosAccepted other than true is 400 with TOS_NOT_ACCEPTED.',
    'provider-keys.unknown-provider':
      'An unknown provider is 400 with UNKNOWN_PROVIDER and the four names, also on DELETE.',
    'provider-keys.restricted': 'A restricted key and a vendor 429 count as valid.',
    'provider-keys.delete.none': 'Deleting where there is no key answers 200 {deleted: false}.',
    'provider-keys.mask.short': 'Without a vendor prefix the mask starts with 3 characters.',
    'provider-keys.envelope': 'Each record has its own data key, wrapped by a master key with id.',
    'provider-keys.bound': 'Owner and provider are bound to the ciphertext.',
    'provider-keys.rotate': 'millrace secrets rotate wraps the data keys anew.',
    'provider-keys.master-key':
      'The master key is MILLRACE_MASTER_KEY, else a 0600 file in the data folder.',
  }),
  ...rules('decisions 1', 'providers', {
    'providers.names': 'The providers are anthropic, openai, google and openrouter.',
    'providers.gemini-alias': 'gemini is taken as another name of google.',
    'providers.base-url': 'Only the operator can set the base URL of a provider.',
    'providers.compatible': 'openai with a base URL speaks chat completions.',
    'providers.model.explicit': 'provider:model decides the provider.',
    'providers.model.slash': 'A model id with a slash goes to openrouter.',
    'providers.model.prefixes':
      'claude*, gpt-*, chatgpt-*, o<digit>*, codex-*, gemini* and gemma* go to their vendors.',
    'providers.model.default': 'Any other model goes to the default provider of the operator.',
    'providers.model.unlisted': 'Model ids are never checked against a list.',
  }),
];

export const SIMULATOR_RULES = [
  ...rules('decisions 1', 'simulator', {
    'simulator.models': 'Models sim-* run on the built-in simulator.',
    'simulator.no-key': 'The simulator needs no provider key.',
    'simulator.never-substituted': 'It never answers for a model that was not sim-*.',
    'simulator.setting': 'MILLRACE_SIMULATOR switches it on or off.',
    'simulator.default': 'By default it is on when the server listens on loopback, else off.',
    'simulator.marked': 'What it made carries simulated: true in full views.',
  }),
  ...rules('decisions 1', 'cli', {
    'simulator.marked.cli': 'The command line says so when output is simulated.',
  }),
  ...rules('decisions 1', 'dashboard', {
    'simulator.marked.dashboard': 'The dashboard says so when output is simulated.',
  }),
];
