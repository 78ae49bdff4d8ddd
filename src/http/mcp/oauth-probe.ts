// Assistants that get no key, or a wrong one, look for OAuth: at the addresses that its standards name, then by
// registering themselves. There is none here, and the answer they show their user says what is taken instead.
import { plainCommand } from '../../domain/command/suggested-command.ts';

const PROBE = /^\/(?:mcp\/)?\.well-known\/(?:oauth-|openid-)|^\/(?:register|authorize|token)$/;

const CREATE = plainCommand('api-keys', 'create', 'assistant', '--scopes', 'executions');

export const NO_OAUTH =
  'There is no OAuth here. /mcp takes an API key: send it as "Authorization: Bearer KEY". ' +
  `Create one with \`${CREATE}\`.`;

export const isOAuthProbe = (path: string): boolean => PROBE.test(path);

/** Of an answer 401: which kind of credential is missing. */
export const CHALLENGE = 'Bearer realm="Millrace API key"';
