// The tools for AI assistants, loaded with the first request for them: they take a quarter of a second, and
// most servers never need them.
import type { RemoteTools } from '../http/mcp/mcp-route.ts';
import type { RemoteToolDeps } from './remote-tools.ts';

export function toolsOnDemand(deps: RemoteToolDeps): RemoteTools {
  let loading: Promise<RemoteTools> | undefined;
  async function load(): Promise<RemoteTools> {
    const { createRemoteTools } = await import('./remote-tools.ts');
    return createRemoteTools(deps);
  }
  return {
    async answer(request, body, caller) {
      const tools = await (loading ??= load());
      return tools.answer(request, body, caller);
    },
  };
}
