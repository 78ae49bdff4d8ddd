// Prompts for people to choose in their assistant. All are about a project.
import type { Server } from '@modelcontextprotocol/server';
import type { SessionDeps } from '../deps.ts';

export function addPrompts(server: Server, deps: SessionDeps): void {
  const { workspace } = deps;
  if (workspace === undefined) return;
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', async () => ({
    prompts: (await import('./prompt-list.ts')).listPrompts(),
  }));
  server.setRequestHandler('prompts/get', async ({ params }) =>
    (await import('./get-prompt.ts')).getPrompt(deps, workspace, params),
  );
}
