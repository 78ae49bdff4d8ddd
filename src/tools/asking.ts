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
import { DECISION, QUESTION_SCHEMA } from './question.ts';
import type { Question, Response } from './question.ts';

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
  if (isNewClient(context)) return { kind: 'by-result', answer: answerOf(context) };
  return {
    kind: 'by-request',
    async ask({ message }, waitMs) {
      const params = { message, requestedSchema: QUESTION_SCHEMA };
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

/**
 * The state comes from the client. It only counts for an execution that this workspace has a question
 * open about: that is looked up before anything is written.
 */
function answerOf({ mcpReq }: ServerContext): BroughtAnswer | undefined {
  const state = mcpReq.requestState();
  const response = readAnswer(mcpReq.inputResponses);
  if (typeof state !== 'string' || response === undefined) return undefined;
  const [executionId = '', origin] = state.split(' ');
  return { executionId, response, origin: origin === 'joined' ? origin : undefined };
}

export function inputRequestsOf({ message }: Question): InputRequests {
  return { [DECISION]: inputRequired.elicit({ message, requestedSchema: QUESTION_SCHEMA }) };
}

export function questionResult(question: Question): InputRequiredResult {
  const { executionId, origin } = question;
  const requestState = origin === 'joined' ? `${executionId} ${origin}` : executionId;
  return inputRequired({ inputRequests: inputRequestsOf(question), requestState });
}
