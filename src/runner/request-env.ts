// The environment of a run that was asked for: what the owner of this machine gave the project, and whom it acts as.
// Nothing of the runner's own credentials is in it.
import { plainCommand } from '../domain/command/suggested-command.ts';
import type { TakenRequest } from '../contract/runner-api.ts';
import type { AllowedProject } from './runner-file.ts';

/** Which request a command works for; it then ends with its runner. */
export const REQUEST_VARIABLE = 'MILLRACE_RUN_REQUEST';
/** What the owner of this machine allows it. */
export const CONSENT_VARIABLE = 'MILLRACE_RUN_CONSENT';

/** Settings of the command line that a runner was started with: they say who the runner is, or where it works. */
const OWN = /^MILLRACE_(?!STATE_DIR$|CONFIG_DIR$)/;

/** Nothing of who the runner is. */
export const inheritedEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.test(name)));

export function requestEnv(
  env: NodeJS.ProcessEnv,
  {
    request: { id, token, teamId, work },
    url,
    root,
    project,
    agents,
  }: {
    request: TakenRequest;
    url: string;
    root: string;
    project: AllowedProject;
    /** Undefined: any that is on this machine. */
    agents: readonly string[] | undefined;
  },
): NodeJS.ProcessEnv {
  const { commands, hosts, ownLogins } = project;
  const hint = `The owner of the runner would allow it with: ${plainCommand('runner', 'allow', work.project)}`;
  return {
    ...inheritedEnv(env),
    ...project.env,
    MILLRACE_URL: url,
    MILLRACE_API_KEY: token,
    MILLRACE_TEAM: teamId,
    // Settings of the owner name a folder of their own.
    MILLRACE_WORKSPACE: root,
    MILLRACE_APPLY: 'auto',
    [CONSENT_VARIABLE]: JSON.stringify({ commands, hosts, agents, ownLogins, hint }),
    [REQUEST_VARIABLE]: id,
    NO_COLOR: '1',
  };
}
