import { expect, it } from 'vitest';
import { keepSmall } from '../../src/agents/loop/keep-small.ts';
import type { Message } from '../../src/contract/conversation-api.ts';

/** A conversation whose turns each read a file of about 100 tokens. */
function conversation(turns: number): Message[] {
  const messages: Message[] = [
    { role: 'system', text: 'You work.' },
    { role: 'user', text: 'The task.' },
  ];
  for (let turn = 0; turn < turns; turn++) {
    const call = { id: `c${turn}`, name: 'read', arguments: { path: `f${turn}.ts` } };
    messages.push({ role: 'assistant', toolCalls: [call] });
    messages.push({
      role: 'tool',
      callId: `c${turn}`,
      text: 'one two three four five '.repeat(20),
    });
  }
  return messages;
}

it('leaves a conversation as it is until it has come to its bound', () => {
  const messages = conversation(20);
  expect(keepSmall(messages, 100_000)).toBe(false);
  expect(messages).toEqual(conversation(20));
});

it('takes the oldest answers of tools out in one step, says so, and keeps the last ones', () => {
  const messages = conversation(20);
  expect(keepSmall(messages, 2000)).toBe(true);
  const before = conversation(20);
  const tools = messages.filter(({ role }) => role === 'tool');
  expect(tools[0]).toMatchObject({
    callId: 'c0',
    text: '[Taken out to save room. Call read {"path":"f0.ts"} again if you need it.]',
  });
  expect(messages.filter(({ role }) => role !== 'tool')).toEqual(
    before.filter(({ role }) => role !== 'tool'),
  );
  expect(messages.slice(-6)).toEqual(before.slice(-6));
  const kept = tools.filter((message) => message.role === 'tool' && message.text.startsWith('one'));
  expect(kept.length).toBeGreaterThan(3);
  expect(kept.length).toBeLessThan(12);
  // Several turns fit before it happens again.
  messages.push(...conversation(2).slice(2));
  expect(keepSmall(messages, 2000)).toBe(false);
});
