// Jobs that are turns of a conversation.
import type { AssistantMessage, ToolCall } from '../../src/contract/conversation-api.ts';
import { expect } from 'vitest';
import type { TestServer } from './server.ts';

export interface TurnView extends Record<string, unknown> {
  status: string;
  output: string;
  stopReason: string;
  errorCode: string | null;
  error?: string;
  toolCalls?: ToolCall[];
  assistantMessage?: AssistantMessage;
  tokensUsed: { input: number; output: number };
}

export const toolOf = (name: string, properties: object = { path: { type: 'string' } }) => ({
  name,
  description: `The tool ${name}`,
  parameters: { type: 'object', properties },
});

/** Submits a turn and waits for its end. */
export function submitTurn(server: () => TestServer, key: string) {
  return async (body: object, headers: Record<string, string> = {}): Promise<TurnView> => {
    const job = { streamId: 'loop', model: 'sim-instant', maxTokens: 2000, ...body };
    const accepted = await server().call('POST', '/api/v1/execute', { key, body: job, headers });
    expect(accepted.status, JSON.stringify(accepted.body)).toBe(202);
    const { jobId } = accepted.body as { jobId: string };
    const path = `/api/v1/job/${jobId}?view=full&wait=60`;
    return (await server().call('GET', path, { key })).body as TurnView;
  };
}
