import { afterAll, afterEach, beforeAll } from 'vitest';
import { sharedServer } from './shared-server.ts';
import type { SharedServer } from './shared-server.ts';
import { newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

export interface Dashboard {
  server(): SharedServer['server'];
  vendors(): SharedServer['vendors'];
  /** Who is at the browser in all tests of the file, new to the server. */
  visitor(): Visitor;
}

/** Somebody at the dashboard for a whole file; fails each test after which the console is not empty. */
export function useVisitor(): Dashboard {
  let shared: SharedServer | undefined;
  let visitor: Visitor | undefined;
  beforeAll(async () => {
    shared = await sharedServer();
    visitor = await newVisitor(shared.server);
  });
  afterEach(() => visitor?.expectQuiet());
  afterAll(() => visitor?.close());
  return {
    server: () => shared!.server,
    vendors: () => shared!.vendors,
    visitor: () => visitor!,
  };
}
