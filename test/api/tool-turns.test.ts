// Jobs that are turns of a conversation with tools, on simulated models.
import { describe, expect, it } from 'vitest';
import { toolOf, submitTurn } from '../support/turns.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

const TOOLS = [toolOf('read_file'), toolOf('list_files')];

describe('a job with tools', () => {
  it('ends with the calls of the model, and continues with their answers', async () => {
    verifies('job.turns.calls', 'job.turns.continue');
    const { key } = await server().createKey();
    const run = submitTurn(server, key);
    const prompt = '[[sim:call read_file {"path":"a.md"}]] [[sim:echo Done.]] Read a.md.';
    const first = await run({ prompt, tools: TOOLS });
    expect(first).toMatchObject({ status: 'completed', output: '', stopReason: 'stop' });
    expect(first.toolCalls).toEqual([
      { id: expect.any(String), name: 'read_file', arguments: { path: 'a.md' } },
    ]);
    expect(first.assistantMessage).toEqual({
      role: 'assistant',
      text: '',
      toolCalls: first.toolCalls,
    });
    const messages = [
      { role: 'user', text: prompt },
      first.assistantMessage,
      { role: 'tool', callId: first.toolCalls![0]!.id, text: '# A' },
    ];
    const second = await run({ messages, tools: TOOLS });
    expect(second).toMatchObject({ status: 'completed', output: 'Done.', toolCalls: [] });
  });
});
