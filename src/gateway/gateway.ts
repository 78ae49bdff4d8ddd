// Calls that clients make in a vendor's own protocol: passed through as they are, with our keys, limits and ledger around
// them. From the request to the answer: the body is read, what it may cost is reserved, the vendor is asked, and what
// comes back goes through while it is counted.
import { headersToVendor } from '../domain/call/headers.ts';
import { isModelAllowed } from '../domain/model/allowed-models.ts';
import { isSimulatedModel } from '../domain/model/model-routing.ts';
import type { PublicProvider } from '../domain/model/model-routing.ts';
import type { TeamSettings } from '../contract/teams-api.ts';
import { newId } from '../platform/ids.ts';
import type { Scrubber } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Provider } from '../providers/provider.ts';
import type { Upstream, UpstreamRequest } from '../providers/upstream.ts';
import { findTeamSettings } from '../store/accounts/teams.ts';
import { listForeignAnswers } from '../store/calls/stored-answers.ts';
import { keyOf } from './call-key.ts';
import type { CallKey, StoredKeys } from './call-key.ts';
import type { Caller, ModelAnswer, ModelRequest } from './caller.ts';
import { createCallRows } from './open-call.ts';
import type { CallRowDeps, CallStop } from './open-call.ts';
import { createPlainCalls } from './plain-call.ts';
import { readCall } from './read-call.ts';
import type { ReadCall } from './read-call.ts';
import { CallRefusal } from './refusal.ts';
import { runCall } from './run-call.ts';
import { createSpool } from './spool.ts';
import type { SpooledBody } from './spool.ts';
import type { KeyRates } from './send-upstream.ts';
import { headerIn } from '../domain/call/headers.ts';

export interface GatewayDeps extends CallRowDeps {
  providers: { find(id: string): Provider | undefined };
  upstreams: {
    vendor(provider: PublicProvider): Upstream | undefined;
    simulated: Upstream | undefined;
  };
  keys: StoredKeys;
  rateLimiter: KeyRates;
  /** This process among the nodes: a call that it dies with is found by its node. */
  node: { nodeId(): string; isMember(): boolean };
  scrubber: Scrubber;
  metrics: Pick<Metrics, 'jobsEnded' | 'jobsSubmitted' | 'modelUsed'>;
}

/** So much of a body comes with its request: it is in memory anyway. */
const READ_AHEAD = 64 * 1024;

export interface Gateway {
  call(request: ModelRequest): Promise<ModelAnswer>;
  stop(callId: string, reason: CallStop): void;
  stopAll(reason: CallStop): void;
  readonly size: number;
  /** Lets calls end by themselves for so long, then stops them. */
  drain(waitMs: number): Promise<void>;
}

/** A call whose request has been read and may be made. */
export interface ReadyCall extends ReadCall {
  id: string;
  request: ModelRequest;
  spooled: SpooledBody;
  provider: Provider;
  upstream: Upstream;
  key: CallKey;
  settings: TeamSettings;
}

function checkModels(
  { facts }: ReadCall,
  { stream }: Caller,
  { allowedModels }: TeamSettings,
): void {
  const { models } = facts;
  if (models.length === 0 && (stream !== undefined || allowedModels != null)) {
    throw new CallRefusal('invalid', 'The request names no model.');
  }
  for (const model of models) {
    if (stream !== undefined && !stream.models.includes(model)) {
      const message = `This token is for ${stream.models.join(', ')}, not for ${model}.`;
      throw new CallRefusal('forbidden', message);
    }
    if (allowedModels != null && !isModelAllowed(allowedModels, model)) {
      const allowed = allowedModels.join(', ') || 'none';
      throw new CallRefusal(
        'forbidden',
        `The team does not allow ${model}. It allows: ${allowed}.`,
      );
    }
  }
}

interface TakenBody {
  spooled: SpooledBody;
  read: ReadCall;
}

/** What a call needs of the database before it can be accepted. */
interface Asked {
  id: string;
  settings: Promise<TeamSettings>;
  key: Promise<CallKey>;
}

async function closeBoth(answer: ModelAnswer, spooled: SpooledBody): Promise<void> {
  try {
    await answer.close();
  } finally {
    await spooled.release();
  }
}

export function createGateway(deps: GatewayDeps): Gateway {
  const spool = createSpool();
  const rows = createCallRows(deps);
  const live = new Map<string, AbortController>();
  const plain = createPlainCalls(deps);
  let onIdle: (() => void) | undefined;

  /** What the vendor keeps under a key that others use, too, is for those alone who made it. */
  async function checkStored({ facts }: ReadCall, key: CallKey, { teamId }: Caller): Promise<void> {
    if (!key.isShared || facts.stored.length === 0) return;
    const foreign = await listForeignAnswers(
      deps.db,
      teamId,
      facts.stored.map(({ id }) => id),
    );
    const found = facts.stored.find(({ id }) => foreign.has(id));
    if (found === undefined) return;
    const message = `"${found.field}" names something that this team has not made through this server with this key. Send it with a key of your own (X-Provider-Key).`;
    throw new CallRefusal('forbidden', message);
  }

  function whoAnswers(request: ModelRequest, { facts }: ReadCall) {
    const simulated = facts.models.filter(isSimulatedModel).length;
    if (simulated === 0) {
      const provider = deps.providers.find(request.provider);
      const upstream = deps.upstreams.vendor(request.provider);
      if (provider !== undefined && upstream !== undefined) return { provider, upstream };
      throw new CallRefusal('not_found', `${request.provider} is not available on this server.`);
    }
    const provider = deps.providers.find('simulator');
    if (provider === undefined || deps.upstreams.simulated === undefined) {
      const message =
        'Simulated models are turned off on this server. Set MILLRACE_SIMULATOR=on to enable them.';
      throw new CallRefusal('invalid', message);
    }
    if (simulated < facts.models.length) {
      throw new CallRefusal('invalid', 'Name simulated models or real ones, not both.');
    }
    return { provider, upstream: deps.upstreams.simulated };
  }

  async function ready(
    request: ModelRequest,
    { spooled, read }: TakenBody,
    asked: Asked,
  ): Promise<ReadyCall> {
    const { id } = asked;
    const settings = await asked.settings;
    checkModels(read, request.caller, settings);
    const who = whoAnswers(request, read);
    const key = who.provider.simulated
      ? {
          value: undefined,
          paceKey: `simulator ${request.caller.teamId}`,
          isShared: false,
          report: async () => undefined,
        }
      : await asked.key;
    await checkStored(read, key, request.caller);
    // Only who answers without a vendor reads it again: parsed, it takes several times the room of its bytes.
    const body = who.provider.simulated ? read.body : undefined;
    return { ...read, ...who, body, id, request, spooled, key, settings };
  }

  function upstreamRequest(call: ReadyCall, signal: AbortSignal): UpstreamRequest {
    const { request, facts, spooled, key } = call;
    const headers = headersToVendor(request.headers, request.provider, key.value);
    const content = spooled.content();
    if (typeof content === 'function') headers.push('content-length', String(spooled.bytes));
    return {
      ...request,
      model: facts.models[0],
      isStream: facts.isStream,
      headers,
      body: content,
      readBody: () => call.body,
      ownerId: request.caller.teamId,
      signal,
    };
  }

  async function generate(call: ReadyCall): Promise<ModelAnswer> {
    const controller = new AbortController();
    live.set(call.id, controller);
    const forget = () => {
      live.delete(call.id);
      if (live.size === 0) onIdle?.();
    };
    try {
      return await runCall({ ...deps, rows, upstreamRequest, forget }, call, controller);
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** At once: each is a way to the database and back, and none needs the other or the body. */
  function askEarly(request: ModelRequest): Asked {
    const id = newId('job');
    const settings = findTeamSettings(deps.db, request.caller.teamId);
    const key = keyOf(deps.keys, { ...request, callId: id });
    // They may fail while something else is waited for, and are not needed by every call.
    for (const each of [settings, key]) each.catch(() => undefined);
    return { id, settings, key };
  }

  async function takeBody(request: ModelRequest): Promise<TakenBody> {
    const coding = headerIn(request.headers, 'content-encoding');
    const spooled = await spool.take(request.body, coding);
    try {
      return { spooled, read: await spooled.read((body) => readCall(request, body)) };
    } catch (error) {
      await spooled.release();
      throw error;
    }
  }

  /** A small body is read while the database is asked whether the caller may call. Who may not hears that, and at once. */
  async function takeAdmitted(request: ModelRequest): Promise<TakenBody> {
    // Who is over the limit is mostly known to be, without asking: then nothing is read.
    await Promise.race([request.admitted, Promise.resolve()]);
    const bytes = Number(headerIn(request.headers, 'content-length') ?? Number.NaN);
    if (!(bytes <= READ_AHEAD)) await request.admitted;
    const taking = takeBody(request);
    // It waits for the other.
    taking.catch(() => undefined);
    try {
      await request.admitted;
    } catch (error) {
      taking.then(({ spooled }) => spooled.release()).catch(() => undefined);
      throw error;
    }
    return taking;
  }

  async function withBody(request: ModelRequest): Promise<ModelAnswer> {
    const asked = askEarly(request);
    const taken = await takeAdmitted(request);
    const { spooled } = taken;
    let isKept = false;
    try {
      const call = await ready(request, taken, asked);
      if (request.operation === 'count') {
        return await plain.send(upstreamRequest(call, request.signal), call);
      }
      const answer = await generate(call);
      isKept = true;
      // Once there is an answer, nothing is asked again.
      await spooled.sent();
      return { ...answer, close: () => closeBoth(answer, spooled) };
    } finally {
      if (!isKept) await spooled.release();
    }
  }

  return {
    get size() {
      return live.size;
    },
    async call(request) {
      if (request.operation !== 'models') return withBody(request);
      await request.admitted;
      return plain.list(request);
    },
    stop: (callId, reason) => live.get(callId)?.abort(reason),
    stopAll(reason) {
      for (const controller of live.values()) controller.abort(reason);
    },
    async drain(waitMs) {
      if (live.size === 0) return;
      const idle = new Promise<void>((resolve) => (onIdle = resolve));
      const waited = new AbortController();
      await Promise.race([idle, deps.clock.sleep(waitMs, waited.signal)]);
      waited.abort();
      for (const controller of live.values()) controller.abort('drain');
      if (live.size > 0) await Promise.race([idle, deps.clock.sleep(5000)]);
    },
  };
}
