// The extension by which a client gets a handle for a long call, and asks for the result later.
import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { capabilitiesOf, isNewClient } from '../asking.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Each request says it anew: what an earlier one said does not count. */
export function offersTasks(server: Server, context: ServerContext): boolean {
  if (!isNewClient(context)) return false;
  const { extensions = {} } = capabilitiesOf(server, context) ?? {};
  return Object.hasOwn(extensions, TASKS_EXTENSION);
}

export function requireTasks(server: Server, context: ServerContext): void {
  if (offersTasks(server, context)) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
}
