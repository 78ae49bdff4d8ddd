// The environment of a command: the user's own, without the secrets that only Millrace needs.

/** Names the processes of one command, also those that left its process group. */
export const COMMAND_MARK = 'MILLRACE_COMMAND_ID';

/** Keys of ours and of the operator's, and connection strings, which hold passwords. */
const OUR_SECRETS = [
  /^MILLRACE_.*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)/i,
  /^MILLRACE_.*_BASE_URL$/i,
  /^DATABASE_(?:DIRECT_)?URL$/i,
  /^MILLRACE_SMTP_URL$/i,
];

/**
 * The Node that runs Millrace, for commands that want it. It is not put on the path: a project's own
 * commands have to get the project's own Node, whatever Millrace runs on.
 */
export const NODE_VARIABLE = 'MILLRACE_NODE';

export function commandEnv(env: NodeJS.ProcessEnv, mark: string): NodeJS.ProcessEnv {
  const own: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(env)) {
    if (!OUR_SECRETS.some((secret) => secret.test(name))) own[name] = value;
  }
  own[NODE_VARIABLE] = process.execPath;
  // A command may itself run Millrace: the outer mark stays, so that the outer run finds it all.
  const outer = env[COMMAND_MARK];
  own[COMMAND_MARK] = outer === undefined || outer === '' ? mark : `${outer} ${mark}`;
  return own;
}
