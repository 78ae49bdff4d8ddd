// How the user behind a client can be asked, in the way of its version of the protocol.
import {
  CLIENT_CAPABILITIES_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type {
  ClientCapabilities,
  InputRequests,
  InputRequiredResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Asking, BroughtAnswer } from './call.ts';
import { DECISION } from './question.ts';
import type { Form, FormWithState, Question, Response } from './question.ts';

/** Newer clients say with each request what they can do, older ones once. */
export function capabilitiesOf(
  server: Server,
  { mcpReq }: ServerContext,
): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
}

export const isNewClient = ({ mcpReq }: ServerContext): boolean =>
  PROTOCOL_VERSION_META_KEY in (mcpReq.envelope ?? {});

/** An offer that names no form at all is as old as the only one there was. */
function offersForms({ elicitation }: ClientCapabilities = {}): boolean {
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

export function askingOf(server: Server, context: ServerContext): Asking | undefined {
  const { mcpReq } = context;
  if (!offersForms(capabilitiesOf(server, context))) return undefined;
  if (isNewClient(context)) {
    const brought = broughtBy(context);
    return { kind: 'by-result', answer: brought && answerOf(brought), brought };
  }
  return {
    kind: 'by-request',
    async ask({ message, schema }, waitMs) {
      const params = { message, requestedSchema: schema };
      const options = { timeout: waitMs, signal: mcpReq.signal };
      try {
        return await mcpReq.send({ method: 'elicitation/create', params }, options);
      } catch {
        // Not answered in time, or the client cannot do it after all.
        return undefined;
      }
    },
  };
}

/** Undefined: no answer to our question is among them. */
export function readAnswer(responses: Record<string, unknown> | undefined): Response | undefined {
  const response = inputResponse(responses, DECISION);
  return response.kind === 'elicit' ? response : undefined;
}

interface Brought {
  state: string;
  response: Response;
}

function broughtBy({ mcpReq }: ServerContext): Brought | undefined {
  const state = mcpReq.requestState();
  const response = readAnswer(mcpReq.inputResponses);
  return typeof state === 'string' && response !== undefined ? { state, response } : undefined;
}

/**
 * The state comes from the client. It only counts for an execution that this workspace has a question
 * open about: that is looked up before anything is written.
 */
function answerOf({ state, response }: Brought): BroughtAnswer {
  const [executionId = '', origin] = state.split(' ');
  return { executionId, response, origin: origin === 'joined' ? origin : undefined };
}

export function inputRequestsOf({ message, schema }: Form): InputRequests {
  return { [DECISION]: inputRequired.elicit({ message, requestedSchema: { ...schema } }) };
}

export function questionResult(question: Question | FormWithState): InputRequiredResult {
  if ('state' in question) {
    return inputRequired({
      inputRequests: inputRequestsOf(question),
      requestState: question.state,
    });
  }
  const { executionId, origin } = question;
  const requestState = origin === 'joined' ? `${executionId} ${origin}` : executionId;
  return inputRequired({ inputRequests: inputRequestsOf(question), requestState });
}
