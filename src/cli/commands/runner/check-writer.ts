// Whether the person whose event asks for a run may write to the repository: the forge is asked, with the token of this
// machine's owner. What the event says of it does not count.
import type { TakenRequest } from '../../../contract/runner-api.ts';
import { addressesOf, placeOfRemote } from '../../../git/remote.ts';
import type { Place } from '../../../runner/places.ts';
import type { ClientSettings } from '../../settings/client-settings.ts';
import { findForge } from '../pr/find-forge.ts';

const WAIT_MS = 60_000;
/** Of events that name none. */
const DEFAULT_HOSTS = { github: 'github.com', gitlab: 'gitlab.com' };

/** Why not, for who asked; undefined where nothing speaks against it. */
export async function checkWriter(
  { writer }: TakenRequest,
  { root }: Place,
  settings: ClientSettings,
): Promise<string | undefined> {
  if (writer === null) return undefined;
  const { repository, login, forge: kind } = writer;
  const host = writer.host ?? DEFAULT_HOSTS[kind];
  const addresses = await addressesOf(root, 'origin');
  const places = addresses.map(placeOfRemote).filter((place) => place !== undefined);
  const isThis = places.some(
    (place) =>
      place.path.toLowerCase() === repository.toLowerCase() && place.host === host.toLowerCase(),
  );
  if (!isThis) return `The event is from ${repository}, and this project is another repository.`;
  try {
    const project = { root, stateDir: '', settings };
    const { forge } = await findForge(project, {}, AbortSignal.timeout(WAIT_MS));
    if (await forge.mayWrite(login)) return undefined;
    return `${login} may not write to ${repository}.`;
  } catch (error) {
    return `Whether ${login} may write to ${repository} could not be found out: ${(error as Error).message}`;
  }
}
