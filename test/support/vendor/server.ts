import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallFilter, VendorCall } from './call-log.ts';
import { createCallLog } from './call-log.ts';
import { control, CONTROL_PATH } from './control.ts';
import type { Directive } from './directive.ts';
import { BadScriptError, directiveFor, readDirectives } from './directive.ts';
import { endpointOf, requestProblem, vendorOf, wantsStream } from './endpoints.ts';
import type { Limit, Load } from './gate.ts';
import { createGate } from './gate.ts';
import type { AcceptedKey } from './keys.ts';
import { createKeyRing, keyOf } from './keys.ts';
import { askedTier, promptText } from './prompt-text.ts';
import type { Rule } from './rules.ts';
import { createRules } from './rules.ts';
import { refuse, serveCall } from './serve-call.ts';
import type { Vendor } from './vendors.ts';
import { BASE_PATHS } from './vendors.ts';

export interface VendorControls {
  /** Every request so far, in the order of arrival. */
  calls(filter?: CallFilter): VendorCall[];
  /** From the start every key is good; from the first call on only these are. */
  setKeys(vendor: Vendor, keys: readonly AcceptedKey[] | 'any'): void;
  /** More calls of one key than this at a time get a 429. */
  setLimit(vendor: Vendor, limit: Limit | undefined): void;
  /** What to do with matching calls from now on; goes before the sentinels of the prompt. */
  script(rule: Rule): void;
  load(vendor: Vendor): Load;
  /** Forgets calls, rules, keys and limits. */
  reset(): void;
}

export interface VendorServer extends VendorControls {
  origin: string;
  /** The base URL for clients of this vendor. */
  url(vendor: Vendor): string;
  close(): Promise<void>;
}

/** Redirected clients arrive here, below the path they asked for first. */
export const ELSEWHERE = '/elsewhere';

// As many clients as a load test has may connect in the same moment.
const BACKLOG = 4096;

export async function startVendorServer({ port = 0 } = {}): Promise<VendorServer> {
  const log = createCallLog();
  const keys = createKeyRing();
  const gate = createGate();
  const rules = createRules();
  const controls: VendorControls = {
    calls: log.list,
    setKeys: keys.set,
    setLimit: gate.setLimit,
    script: rules.add,
    load: gate.load,
    reset() {
      log.forget();
      rules.reset();
      keys.reset();
      gate.reset();
    },
  };

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://vendor');
    const { pathname } = url;
    const method = req.method ?? 'GET';
    const startedAt = Date.now();
    const body = await readBody(req);
    if (pathname.startsWith(CONTROL_PATH)) {
      const answer = control(controls, { method, url, body });
      return sendJson(res, answer.status, answer.body);
    }
    const redirected = pathname.startsWith(`${ELSEWHERE}/`);
    const vendor = vendorOf(redirected ? pathname.slice(ELSEWHERE.length) : pathname);
    if (!vendor) throw new BadScriptError(`${pathname} is below no vendor's base URL`);
    const key = keyOf(vendor, req.headers, url);
    const call = log.add({
      vendor,
      method,
      path: pathname + url.search,
      headers: req.headers,
      ...(key !== undefined && { key }),
      ...(body !== undefined && { body }),
      prompt: promptText(body),
      startedAt,
    });
    if (redirected) {
      call.status = 200;
      res.once('close', () => Object.assign(call, { endedAt: Date.now(), finished: true }));
      return sendJson(res, 200, { arrived: true });
    }
    return answerCall({ call, res, url });
  }

  async function answerCall(request: { call: VendorCall; res: ServerResponse; url: URL }) {
    const { call, res, url } = request;
    const { vendor, key, body } = call;
    const endpoint = endpointOf(vendor, call.method, url.pathname);
    if (!endpoint) return refuse(request, 'no-path');
    // OpenRouter shows its models to everyone.
    const open = vendor === 'openrouter' && endpoint.kind === 'models';
    const refusal = keys.check(vendor, key, endpoint.kind === 'generate' ? 'generate' : 'list');
    if (refusal && !open) return refuse(request, refusal);
    if (endpoint.kind === 'generate') {
      const problem = requestProblem({ vendor, headers: call.headers, body }, endpoint.required);
      if (problem !== undefined) return refuse(request, 'bad-request', { message: problem });
      if (!wantsStream(vendor, url, body)) throw new BadScriptError('only streams are played here');
    }
    const directive = choose(call);
    const elsewhere = `${ELSEWHERE}${call.path}`;
    return serveCall({ res, call, endpoint, directive, gate, elsewhere });
  }

  function choose(call: VendorCall): Directive {
    const sentinels = readDirectives(call.prompt);
    const id = sentinels.find(({ options }) => options.id !== undefined)?.options.id;
    if (id !== undefined) call.id = id;
    const nth = log.count(`${call.vendor} ${id ?? call.prompt}`);
    const asked = directiveFor(sentinels, { vendor: call.vendor, tier: askedTier(call.body) }, nth);
    const rule = rules.take(call);
    const fault = rule?.fault ?? asked.fault;
    if (fault !== undefined) call.fault = fault;
    const options = { ...asked.options, ...rule?.options };
    return fault === undefined ? { options } : { fault, options };
  }

  const server = createServer({ keepAliveTimeout: 30_000 }, (req, res) => {
    handle(req, res).catch((error: unknown) => complain(res, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog: BACKLOG }, resolve);
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  return {
    ...controls,
    origin,
    url: (vendor) => origin + BASE_PATHS[vendor],
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Undefined when there is none or it is no JSON. */
async function readBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** A mistake of the test must not look like a fault of a vendor, nor be tried again. */
function complain(res: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (res.headersSent || res.destroyed) res.destroy();
  else if (error instanceof BadScriptError) sendJson(res, 418, { error: { message } });
  else sendJson(res, 500, { error: { message: `The scripted vendor failed: ${message}` } });
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
