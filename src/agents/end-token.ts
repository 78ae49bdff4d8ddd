import { MillraceError } from '../client/index.ts';
import type { MillraceClient } from '../client/index.ts';
import type { StreamTokenUsage } from '../contract/stream-token-api.ts';

/** Calls that were cut off are counted when the server has seen that they are gone. */
const SETTLE_LOOKS = 20;
const SETTLE_EVERY_MS = 150;

/** Also of a process that was cut off: what had been used with its token. Undefined where the server does not say. */
export async function endToken(
  client: MillraceClient,
  id: string,
): Promise<StreamTokenUsage | undefined> {
  try {
    for (let look = 1; ; look++) {
      const { usage } = await client.endStreamToken(id);
      if (usage.openCalls === 0 || look === SETTLE_LOOKS) return usage;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_EVERY_MS));
    }
  } catch (error) {
    if (error instanceof MillraceError && error.status === 404) return undefined;
    throw error;
  }
}
