// Executions on a test server.
import type { Answer, TestServer } from '../support/server.ts';
import { waitUntil } from '../support/processes.ts';

export interface ShownExecution {
  id: string;
  status: string;
  progress: { current: number; total: number };
  result: {
    success: boolean;
    artifacts: {
      streamId: string;
      status: string;
      filesChanged: string[];
      operations: Record<string, unknown>[];
      summary: string;
    }[];
    summary: string;
    plan?: {
      streams: {
        streamId: string;
        name: string;
        wave: number;
        deps: string[];
        owns: string[];
        reads: string[];
        plan: string;
      }[];
      waves: string[][];
      estimatedTokens: number;
      estimatedCostUsd: number | null;
      manifest: string;
    };
    error?: { code: string; message: string };
    simulated?: boolean;
  } | null;
  metrics: { duration: number; tokensUsed: number; costUsd: number; usageEstimated?: true };
  steps: {
    index: number;
    streamId: string;
    name: string;
    wave: number;
    status: string;
    durationMs: number | null;
    tokensUsed: number;
  }[];
  currentStep: number | null;
  runId: string;
  simulated: boolean;
  model: string;
}

export interface Client {
  create(body: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>;
  /** Creates one and returns its id; fails the test unless it was accepted. */
  start(body: Record<string, unknown> | string): Promise<string>;
  get(id: string): Promise<ShownExecution>;
  until(id: string, holds: (execution: ShownExecution) => boolean): Promise<ShownExecution>;
  ended(id: string): Promise<ShownExecution>;
  cancel(id: string): Promise<Answer>;
}

export function clientOf(server: TestServer, key: string): Client {
  const client: Client = {
    create: (body, headers) =>
      server.call('POST', '/v1/executions', { key, body, ...(headers && { headers }) }),
    async start(body) {
      const sent = typeof body === 'string' ? { task: body } : body;
      const answer = await client.create({ model: 'sim-instant', ...sent });
      if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
      return answer.body['id'] as string;
    },
    async get(id) {
      const { body, status } = await server.call('GET', `/v1/executions/${id}`, { key });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body as unknown as ShownExecution;
    },
    until: (id, holds) =>
      waitUntil(async () => {
        const execution = await client.get(id);
        return holds(execution) ? execution : undefined;
      }, `a state of ${id}`),
    ended: (id) => client.until(id, ({ status }) => status !== 'running'),
    cancel: (id) => server.call('POST', `/v1/executions/${id}/cancel`, { key }),
  };
  return client;
}

/** A plan for the simulator to give; `extra` stands in the fields of each stream. */
export function planOf(streams: Record<string, string>): string {
  const lines = Object.entries(streams).map(
    ([id, fields]) => `  ${id}:\n    name: ${id}\n    ${fields.replaceAll('\n', '\n    ')}`,
  );
  return `[[sim:reply for=plan]]\n\`\`\`\`yaml\nfeature: test\nstreams:\n${lines.join('\n')}\n\`\`\`\`\n[[/sim:reply]]`;
}

/** The answer of one stream. */
export function replyOf(streamId: string, text: string): string {
  return `[[sim:reply for=${streamId}]]${text}[[/sim:reply]]`;
}

export function artifactOf(operations: unknown[], more: Record<string, unknown> = {}): string {
  return `\`\`\`millrace-artifact\n${JSON.stringify({ operations, ...more })}\n\`\`\`\n`;
}
