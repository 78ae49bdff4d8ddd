// What assistants can read besides what the tools answer. Loaded when it is asked for.
import type { Server } from '@modelcontextprotocol/server';
import type { SessionDeps } from '../deps.ts';

export function addResources(server: Server, deps: SessionDeps): void {
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/list', async () => ({
    resources: await (await import('./list.ts')).listResources(deps),
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: (await import('./list.ts')).listTemplates(),
  }));
  server.setRequestHandler('resources/read', async ({ params }) =>
    (await import('./read.ts')).readResource(deps, params.uri),
  );
}
