// Counts of tokens and lists of models: they cost nothing, so there is neither a row nor a reservation.
import { headersToClient, headersToVendor } from '../domain/call/headers.ts';
import { newId } from '../platform/ids.ts';
import { keyOf } from './call-key.ts';
import type { CallKey } from './call-key.ts';
import type { ModelAnswer, ModelRequest } from './caller.ts';
import type { GatewayDeps } from './gateway.ts';
import { createMask } from './mask.ts';
import type { Mask } from './mask.ts';
import { CallRefusal } from './refusal.ts';
import { sendUpstream } from './send-upstream.ts';
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '../providers/upstream.ts';

const SILENCE_MS = 60_000;

async function* masked(
  body: AsyncIterable<Uint8Array>,
  mask: Mask,
  done: () => void,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of body) yield mask.push(chunk);
    yield mask.end();
  } finally {
    done();
  }
}

export function createPlainCalls(deps: GatewayDeps) {
  async function pass(
    request: UpstreamRequest,
    upstream: Upstream,
    key: CallKey,
  ): Promise<ModelAnswer> {
    const tooLong = AbortSignal.timeout(SILENCE_MS);
    const signal = AbortSignal.any([request.signal, tooLong]);
    let answer: UpstreamAnswer;
    let leave: () => void;
    try {
      const sent = await sendUpstream(deps, upstream, { ...request, signal }, key);
      answer = sent.answer;
      leave = () => sent.permit.done(answer.status < 400 ? 'fine' : 'failed');
    } catch (error) {
      if (error instanceof CallRefusal || request.signal.aborted) throw error;
      const message = tooLong.aborted
        ? 'The vendor did not answer in time.'
        : 'The vendor cannot be reached.';
      throw new CallRefusal(tooLong.aborted ? 'timeout' : 'upstream', message);
    }
    if (answer.status >= 300 && answer.status < 400) {
      leave();
      throw new CallRefusal(
        'upstream',
        'The vendor answered with a redirect, which is not followed.',
      );
    }
    const mask = createMask(key.value);
    const body = masked(answer.body, mask, leave);
    return {
      status: answer.status,
      headers: headersToClient(answer.headers, { isChanged: false, mask: mask.text }),
      body,
      close: async () => void (await body.return()),
    };
  }

  return {
    send: (request: UpstreamRequest, { upstream, key }: { upstream: Upstream; key: CallKey }) =>
      pass(request, upstream, key),

    /** Of a vendor whose key nobody has, the simulator says which models there are. */
    async list(request: ModelRequest): Promise<ModelAnswer> {
      const own: UpstreamRequest = {
        ...request,
        model: undefined,
        isStream: false,
        body: undefined,
        readBody: () => undefined,
        ownerId: request.caller.teamId,
      };
      const { simulated } = deps.upstreams;
      const upstream = deps.upstreams.vendor(request.provider);
      let key: CallKey;
      try {
        key = await keyOf(deps.keys, { ...request, callId: newId('job') });
      } catch (error) {
        if (!(error instanceof CallRefusal) || simulated === undefined) throw error;
        const none = { value: undefined, paceKey: 'simulator', isShared: false };
        return pass(own, simulated, { ...none, report: async () => undefined });
      }
      if (upstream === undefined) {
        throw new CallRefusal('not_found', `${request.provider} is not available on this server.`);
      }
      const headers = headersToVendor(request.headers, request.provider, key.value);
      return pass({ ...own, headers }, upstream, key);
    },
  };
}
