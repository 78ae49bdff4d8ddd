// The windows of models without facts, for a plan: a server that is up is asked, and none is started for it.
import { askWindows, hasUnknownWindow } from '../orchestrator/run/served-windows.ts';
import type { WindowOf } from '../orchestrator/run/served-windows.ts';
import type { CommandOptions } from './command.ts';
import { serverOf } from './remote.ts';

export type AskWindows = (models: readonly string[]) => Promise<WindowOf>;

const NOT_KNOWN: WindowOf = () => undefined;

export function windowsFrom(options: CommandOptions): AskWindows {
  return async (models) => {
    if (!models.some(hasUnknownWindow)) return NOT_KNOWN;
    try {
      const server = await serverOf(options, { isIdle: true, client: { maxRetries: 0 } });
      try {
        return server.apiKey === '' ? NOT_KNOWN : await askWindows(server.client, models);
      } finally {
        await server.close();
      }
    } catch {
      // A plan needs no server.
      return NOT_KNOWN;
    }
  };
}
