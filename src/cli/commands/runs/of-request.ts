// A command that a runner has started for a request: what the owner of this machine allows it, and how long it lives. The
// runner says both by variables; only a person at this machine could set them otherwise.
import { z } from 'zod';
import { createCalls, part } from '../../../client/calls.ts';
import { MillraceError } from '../../../client/errors.ts';
import { CONSENT_VARIABLE, REQUEST_VARIABLE } from '../../../runner/request-env.ts';

const Consent = z.object({
  commands: z.enum(['sandbox', 'host']),
  hosts: z.array(z.string()),
  /** Those that may work; undefined: any that is on this machine. */
  agents: z.array(z.string()).optional(),
  /** Those that may work with the owner's own login. */
  ownLogins: z.array(z.string()),
  hint: z.string(),
});
export type RunConsent = z.infer<typeof Consent>;

/** Undefined for a command that a person has typed. What cannot be read allows nothing. */
export function consentOf(env: NodeJS.ProcessEnv): RunConsent | undefined {
  const text = env[CONSENT_VARIABLE];
  if (text === undefined) return undefined;
  try {
    return Consent.parse(JSON.parse(text));
  } catch {
    return {
      commands: 'sandbox',
      hosts: [],
      agents: [],
      ownLogins: [],
      hint: 'Start it by the runner.',
    };
  }
}

/** In the sandbox they can do no harm outside of it; elsewhere only where the owner has said so. */
export function mayRunCommands(consent: RunConsent | undefined, isSandboxed: boolean): boolean {
  return consent !== undefined && (isSandboxed || consent.commands === 'host');
}

export const mayWork = ({ agents }: RunConsent, agent: string): boolean =>
  agents?.includes(agent) !== false;

/** What was answered to the runs of the request that this run is for. */
export function requestAnswersOf(env: NodeJS.ProcessEnv, url: string, apiKey: string) {
  const id = env[REQUEST_VARIABLE];
  if (id === undefined) return undefined;
  const { get, send } = createCalls(url, apiKey);
  const at = (key: string) => `/v1/run-requests/${part(id)}/answers/${part(key)}`;
  return {
    requestId: id,
    async find(key: string): Promise<string | undefined> {
      try {
        return (await get<{ answer: string }>(at(key))).answer;
      } catch (error) {
        if (error instanceof MillraceError && error.status === 404) return undefined;
        throw error;
      }
    },
    async keep(key: string, answer: string): Promise<void> {
      await send('PUT', at(key), {}, { answer });
    },
  };
}
