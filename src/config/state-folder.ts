// Where a user's own state is kept: MILLRACE_STATE_DIR, or the customary folder.
import { isAbsolute, join } from 'node:path';

/** The user's own state folder of Millrace. */
export function stateHomeOf(env: NodeJS.ProcessEnv, home: string): string {
  const { MILLRACE_STATE_DIR: own, XDG_STATE_HOME: given } = env;
  // A relative one would lie in the project we are asked about.
  if (own && isAbsolute(own)) return own;
  const base = given && isAbsolute(given) ? given : join(home, '.local', 'state');
  return join(base, 'millrace');
}

/** The commands that the user approved, of all projects. */
export function trustFileOf(env: NodeJS.ProcessEnv, home: string): string {
  return join(stateHomeOf(env, home), 'trusted-commands.json');
}
