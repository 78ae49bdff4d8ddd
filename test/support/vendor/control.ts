// Steering from another process: the same as the methods of the server, over HTTP.
import { BadScriptError } from './directive.ts';
import { record } from './prompt-text.ts';
import type { VendorControls } from './server.ts';
import { isVendor, VENDORS } from './vendors.ts';
import type { Vendor } from './vendors.ts';

export const CONTROL_PATH = '/_control/';

type Action = (server: VendorControls, body: Record<string, unknown>, url: URL) => unknown;

const ACTIONS: Readonly<Record<string, Action>> = {
  'GET calls': (server, _, { searchParams: query }) => {
    const vendor = query.get('vendor');
    const id = query.get('id');
    return server.calls({
      ...(vendor !== null && { vendor: vendorIn(vendor) }),
      ...(id !== null && { id }),
    });
  },
  'GET load': (server) => Object.fromEntries(VENDORS.map((name) => [name, server.load(name)])),
  'POST keys': (server, { vendor, keys }) => {
    if (keys !== 'any' && !Array.isArray(keys)) throw new BadScriptError('keys: a list or "any"');
    server.setKeys(vendorIn(vendor), keys);
  },
  'POST limit': (server, { vendor, concurrent, retryAfter }) => {
    if (concurrent !== undefined && typeof concurrent !== 'number') {
      throw new BadScriptError('concurrent: a number, or absent for no limit');
    }
    server.setLimit(
      vendorIn(vendor),
      concurrent === undefined
        ? undefined
        : { concurrent, ...(typeof retryAfter === 'number' && { retryAfter }) },
    );
  },
  'POST script': (server, rule) => server.script(rule),
  'POST reset': (server) => server.reset(),
};

/** The answer to a control request. */
export function control(
  server: VendorControls,
  request: { method: string; url: URL; body: unknown },
): { status: number; body: unknown } {
  const name = `${request.method} ${request.url.pathname.slice(CONTROL_PATH.length)}`;
  const action = ACTIONS[name];
  if (!action) {
    return {
      status: 404,
      body: { error: `${name}: known are ${Object.keys(ACTIONS).join(', ')}` },
    };
  }
  try {
    return { status: 200, body: action(server, record(request.body), request.url) ?? {} };
  } catch (error) {
    if (!(error instanceof BadScriptError)) throw error;
    return { status: 400, body: { error: error.message } };
  }
}

function vendorIn(value: unknown): Vendor {
  if (isVendor(value)) return value;
  throw new BadScriptError(`vendor: one of ${VENDORS.join(', ')}`);
}
