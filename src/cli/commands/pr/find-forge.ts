// The forge of a project: by its remote, with the person's token.
import { createForge, forgeOf, TOKEN_VARIABLES } from '../../../git/forges/create-forge.ts';
import type { ForgePlace, KnownForge } from '../../../git/forges/create-forge.ts';
import type { Forge, ForgeError } from '../../../git/forges/forge.ts';
import { addressesOf, passwordFor, placeOfRemote, remotesOf } from '../../../git/remote.ts';
import { CommandError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import type { Project } from '../runs/project.ts';

export interface FoundForge {
  remote: string;
  forge: Forge;
}

/** Passwords stay out of every text. */
const shown = (address: string) => address.replace(/\/\/[^@/]*@/, '//');

/** A job of GitHub Actions says which host it works for, and where its API is. */
function forgeOfJob(): Record<string, KnownForge> {
  const { GITHUB_SERVER_URL: server = '', GITHUB_API_URL: api } = process.env;
  const host = URL.parse(server)?.host;
  return host && api ? { [host]: { kind: 'github', api } } : {};
}

async function placeOf(root: string, { settings }: Project, remote: string): Promise<ForgePlace> {
  const addresses = await addressesOf(root, remote);
  const [address] = addresses;
  if (address === undefined) {
    const remotes = await remotesOf(root);
    throw new CommandError({
      code: 'GIT_NOT_READY',
      message: `There is no remote "${remote}".`,
      hint:
        remotes.length === 0
          ? 'Add one with: git remote add origin ADDRESS'
          : `Name one with --remote: ${remotes.map(plain).join(', ')}`,
    });
  }
  const place = addresses.map(placeOfRemote).find((one) => one !== undefined);
  if (place === undefined) {
    throw new CommandError({
      code: 'GIT_NOT_READY',
      message: `The remote "${remote}" (${plain(shown(address))}) is not on GitHub or GitLab.`,
      hint: `Name another one with --remote, or change this one: git remote set-url ${plain(remote)} ADDRESS`,
    });
  }
  const forge = forgeOf(place, { ...forgeOfJob(), ...settings.forges });
  if (forge !== undefined) return forge;
  throw new CommandError({
    code: 'GIT_NOT_READY',
    message: `Nothing is known of ${plain(place.host)}: is it GitHub or GitLab?`,
    hint: `Say so in ${plain(settings.agents.file)}:\nforges:\n  ${plain(place.host)}: { kind: gitlab }`,
  });
}

async function tokenFor(root: string, { kind, host }: ForgePlace): Promise<string> {
  const names = TOKEN_VARIABLES[kind];
  const given = names.map((name) => process.env[name]).find(Boolean);
  const token = given ?? (await passwordFor(root, host));
  if (token !== undefined) return token;
  throw new CommandError({
    code: 'NO_FORGE_TOKEN',
    message: `There is no token for ${host}.`,
    hint: `Set ${names.join(' or ')}, or store one in your git credential helper.`,
    exit: EXIT.notAuthorised,
  });
}

export function toCommandError(error: ForgeError): CommandError {
  const isRefused = error.status === 401 || error.status === 403;
  return new CommandError({
    code: 'FORGE_REFUSED',
    message: plain(error.message),
    hint: plain(error.hint),
    exit: isRefused
      ? EXIT.notAuthorised
      : error.status === 429
        ? EXIT.limited
        : error.status === undefined || error.status >= 500
          ? EXIT.unreachable
          : EXIT.failed,
  });
}

/** After the repository's programs are approved: one of them may be asked for a password. */
export async function findForge(
  project: Project,
  options: CommandOptions,
  signal: AbortSignal,
): Promise<FoundForge> {
  const remote = typeof options['remote'] === 'string' ? options['remote'] : 'origin';
  const place = await placeOf(project.root, project, remote);
  const token = await tokenFor(project.root, place);
  const onWait = (seconds: number) =>
    note(`${place.host} asks to wait ${seconds} s before the next call.`);
  return { remote, forge: createForge(place, token, { signal, onWait }) };
}
