import type { ServerResponse } from 'node:http';
import { composeAnswer } from './answer.ts';
import type { VendorCall } from './call-log.ts';
import type { Directive } from './directive.ts';
import { BadScriptError } from './directive.ts';
import type { Endpoint } from './endpoints.ts';
import { modelOf } from './endpoints.ts';
import type { ErrorKind } from './error-kinds.ts';
import { errorAnswer } from './errors.ts';
import type { Fault } from './faults.ts';
import { faultOf } from './faults.ts';
import type { Gate } from './gate.ts';
import type { LineMode } from './line.ts';
import { openLine } from './line.ts';
import { keyDetails, listing } from './listing.ts';
import type { Options } from './options.ts';
import { play } from './play.ts';

export interface Exchange {
  res: ServerResponse;
  call: VendorCall;
  endpoint: Endpoint;
  directive: Directive;
  gate: Gate;
  /** Where a redirect leads unless the sentinel says so. */
  elsewhere: string;
}

const HTML = '<!doctype html><html><head><title>Sign in</title></head><body>Welcome</body></html>';

/** Answers a call whose key is good, as the directive says. */
export async function serveCall(exchange: Exchange): Promise<void> {
  const { call, directive, endpoint } = exchange;
  const { options, fault: name } = directive;
  const fault: Partial<Fault> | string = name === undefined ? {} : faultOf(name, call.vendor);
  if (typeof fault === 'string') throw new BadScriptError(fault);
  const merged = { ...fault.options, ...options };
  if (fault.error) return refuse(exchange, fault.error, merged);
  if (fault.act === 'redirect') return redirect(exchange, merged);
  if (endpoint.kind === 'generate') return generate(exchange, fault, merged);
  return details(exchange, fault, merged);
}

async function generate(exchange: Exchange, fault: Partial<Fault>, options: Options) {
  const { res, call, endpoint, gate } = exchange;
  if (endpoint.kind !== 'generate') return;
  const limit = fault.act === 'concurrency' ? (options.limit ?? 1) : undefined;
  const leave = gate.enter(call.vendor, call.key ?? '', limit);
  if (!leave) {
    const retryAfter = options.retryAfter ?? gate.limit(call.vendor)?.retryAfter;
    const wait = retryAfter === undefined ? options : { ...options, retryAfter };
    return refuse(exchange, 'rate-limit', wait);
  }
  res.once('close', leave);
  if (fault.act === 'html-200') return page(exchange);
  const { body, number } = call;
  const model = modelOf(call.path.split('?')[0] ?? '', body);
  if (fault.act === 'error-200') return errorWith200(exchange, model);
  const answer = composeAnswer({ number, model, body, options });
  call.usage = { input: answer.usage.input, output: answer.usage.output };
  const dripping = fault.act === 'slow-drip';
  const mode: LineMode = {
    gzip: fault.act === 'gzip',
    ...(dripping && { dripMs: options.pace ?? 0 }),
  };
  await play({
    line: openLine(res, call, mode),
    call,
    wire: endpoint.wire(answer),
    answer,
    options: dripping ? { ...options, pace: 0 } : options,
    act: fault.act,
  });
}

/** Lists and key details; of the faults only those make sense that need no stream. */
async function details(exchange: Exchange, fault: Partial<Fault>, options: Options) {
  const { res, call, endpoint } = exchange;
  if (fault.act === 'html-200') return page(exchange);
  const line = openLine(res, call);
  await line.pause(options.headersDelay ?? 0);
  if (fault.act === 'hang-before-headers') return line.untilGone();
  if (fault.act === 'reset-before-headers') return line.reset();
  if (fault.act !== undefined) {
    throw new BadScriptError(`"${fault.act}" needs a stream; ${call.path} has none`);
  }
  const body = endpoint.kind === 'key' ? keyDetails(call.key ?? '') : listing(call.vendor);
  line.start(200, { 'content-type': 'application/json' });
  await line.write(JSON.stringify(body));
  line.end(true);
}

export async function refuse(
  { res, call }: Pick<Exchange, 'res' | 'call'>,
  kind: ErrorKind,
  options: Options = {},
): Promise<void> {
  const line = openLine(res, call);
  await line.pause(options.headersDelay ?? 0);
  const context = {
    kind,
    model: modelOf(call.path.split('?')[0] ?? '', call.body),
    key: call.key ?? '',
    requestId: `req_${String(call.number).padStart(12, '0')}`,
    ...(options.retryAfter !== undefined && { retryAfter: options.retryAfter }),
    ...(options.message !== undefined && { message: options.message }),
  };
  const echo = options.echoKey ? { message: `The key ${context.key} was refused.` } : {};
  const { status, headers, body } = errorAnswer(call.vendor, { ...context, ...echo });
  const page = typeof body === 'string';
  const type = page ? 'text/html' : 'application/json';
  line.start(status, { ...headers, 'content-type': type });
  await line.write(page ? body : JSON.stringify(body));
  line.end(true);
}

async function redirect({ res, call, elsewhere }: Exchange, options: Options): Promise<void> {
  const line = openLine(res, call);
  line.start(options.status ?? 302, { location: options.to ?? elsewhere });
  line.end(true);
}

async function page({ res, call }: Exchange): Promise<void> {
  const line = openLine(res, call);
  line.start(200, { 'content-type': 'text/html; charset=utf-8' });
  await line.write(HTML);
  line.end(false);
}

async function errorWith200({ res, call }: Exchange, model: string): Promise<void> {
  const context = { kind: 'server-error', model, key: '', requestId: 'req_200' } as const;
  const line = openLine(res, call);
  line.start(200, { 'content-type': 'application/json' });
  await line.write(JSON.stringify(errorAnswer(call.vendor, context).body));
  line.end(false);
}
