#!/usr/bin/env node
// An agent that does what its model says, with one tool: it speaks the Agent Client Protocol (`acp`), prints as Claude Code
// does (`--print`), or reads its task and works. The first two keep what was said in their home, and continue it.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const words = process.argv.slice(2);
if (words.includes('--version')) {
  console.log('2.1.327 (a scripted one)');
  process.exit(0);
}
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

async function ask(messages) {
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = process.env;
  const model = process.env.ANTHROPIC_MODEL ?? words.find((word) => word.startsWith('claude-'));
  const tools = [{ name: 'write', input_schema: { type: 'object' } }];
  const response = await fetch(`${ANTHROPIC_BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': ANTHROPIC_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 1000, tools, messages }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  return body.content;
}

const sessions = join(process.env.HOME, '.sessions');
const fileOf = (id) => join(sessions, `${id}.json`);
const recall = (id) => JSON.parse(readFileSync(fileOf(id), 'utf8'));
function remember(id, messages) {
  mkdirSync(sessions, { recursive: true });
  writeFileSync(fileOf(id), JSON.stringify(messages));
}

/** `use` makes a call of the tool, or says no. */
async function work(task, { say, use, messages = [] }) {
  messages.push({ role: 'user', content: task });
  for (;;) {
    const content = await ask(messages);
    messages.push({ role: 'assistant', content });
    for (const { type, text } of content) if (type === 'text') say(text);
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return messages;
    const results = [];
    for (const call of calls) {
      const told = await use(call);
      results.push({ type: 'tool_result', tool_use_id: call.id, content: told });
    }
    messages.push({ role: 'user', content: results });
  }
}
const write = ({ input }) => {
  writeFileSync(input.path, input.content);
  return `Wrote ${basename(input.path)}.`;
};

async function plainly() {
  await work(readFileSync(0, 'utf8'), { say: (text) => console.log(text), use: write });
}

async function asClaude() {
  const [, resumed] = words.join('\n').match(/--resume=(.+)/) ?? [];
  const session = resumed ?? randomUUID();
  const messages = resumed === undefined ? [] : recall(resumed);
  print({ type: 'system', subtype: 'init', session_id: session });
  const message = (type, content) => print({ type, message: { content } });
  let last = '';
  const say = (text) => {
    last = text;
    message('assistant', [{ type: 'text', text }]);
  };
  const use = (call) => {
    message('assistant', [call]);
    const content = write(call);
    message('user', [{ type: 'tool_result', tool_use_id: call.id, content }]);
    return content;
  };
  remember(session, await work(readFileSync(0, 'utf8'), { say, use, messages }));
  print({ type: 'result', subtype: 'success', is_error: false, result: last });
}

function byProtocol() {
  const waiting = new Map();
  const send = (message) => print({ jsonrpc: '2.0', ...message });
  const update = (value) =>
    send({ method: 'session/update', params: { sessionId: 's', update: value } });
  const say = (text) =>
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  async function use(call) {
    const toolCall = { toolCallId: call.id, title: 'Write', kind: 'edit' };
    toolCall.locations = [{ path: call.input.path }];
    update({ sessionUpdate: 'tool_call', status: 'pending', ...toolCall });
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const params = { sessionId: 's', toolCall, options };
    const asked = new Promise((resolve) => waiting.set(call.id, resolve));
    send({ id: call.id, method: 'session/request_permission', params });
    const told = (await asked)?.outcome.optionId === 'yes' ? write(call) : 'It was refused.';
    update({ sessionUpdate: 'tool_call_update', toolCallId: call.id, status: 'completed' });
    return told;
  }
  let messages = [];
  const answers = {
    initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
    'session/new': () => ({ sessionId: 's' }),
    'session/load'({ sessionId }) {
      messages = recall(sessionId);
      say('What was said before.');
      return null;
    },
    async 'session/prompt'({ prompt }) {
      remember('s', await work(prompt[0].text, { say, use, messages }));
      return { stopReason: 'end_turn' };
    },
  };
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (method === undefined) waiting.get(id)?.(result);
    else send({ id, result: await answers[method](params) });
  });
}

if (words.includes('acp')) byProtocol();
else if (words.includes('--print')) await asClaude();
else await plainly();
