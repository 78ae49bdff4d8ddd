// An agent that speaks the Agent Client Protocol as its first argument says: well, badly, or not at all.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const scene = process.argv[2];
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (value) =>
  send({ method: 'session/update', params: { sessionId: 's', update: value } });
const say = (text, messageId) =>
  update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });

const think = (text) =>
  update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });

const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
let nextId = 1000;
const waiting = new Map();
function ask(method, params) {
  const id = nextId++;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}
const permission = async (toolCall, options = OPTIONS) =>
  (await ask('session/request_permission', { sessionId: 's', toolCall, options })).result?.outcome;

const prompts = {
  async works(folder, text) {
    say('I ');
    say('begin.');
    think('The file ');
    think('is missing.');
    const entries = [{ content: 'Write', priority: 'high', status: 'in_progress' }];
    for (const _ of [1, 2]) update({ sessionUpdate: 'plan', entries });
    const call = {
      toolCallId: 'a',
      title: 'Edit',
      kind: 'edit',
      locations: [{ path: `${folder}/src/a.txt` }],
    };
    update({ sessionUpdate: 'tool_call', status: 'pending', ...call });
    // Later requests about the call need not repeat what was said of it.
    const first = await permission({ toolCallId: 'a' });
    if (first?.optionId === 'yes') writeFileSync('src/a.txt', 'ok\n');
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed' });
    const other = {
      toolCallId: 'b',
      kind: 'edit',
      content: [{ type: 'diff', path: `${folder}/b.txt`, newText: '' }],
    };
    const second = await permission(other);
    say(`Then ${second?.optionId}. `, 'm2');
    const third = await permission({ toolCallId: 'c', kind: 'execute', title: 'rm -rf /' });
    say(`And ${third?.optionId}.`, 'm2');
    const unknown = await ask('fs/write_text_file', { sessionId: 's', path: '/x', content: 'x' });
    const wrong = await ask('session/request_permission', { options: 'none' });
    say(`${unknown.error.code} ${wrong.error.code} ${text.includes('task') ? 'task' : ''}`, 'm3');
    return { stopReason: 'end_turn' };
  },
  async refuses() {
    say('I will not.');
    return { stopReason: 'refusal' };
  },
  async 'offers nothing'() {
    const outcome = await permission({ toolCallId: 'x', kind: 'execute', title: 'ls' }, []);
    say(`It is ${outcome.outcome}.`);
    return { stopReason: 'end_turn' };
  },
  async 'asks for ever'() {
    for (;;) await permission({ toolCallId: 'x', kind: 'read' });
  },
  async exits() {
    process.stderr.write('out of luck\n');
    process.exit(3);
  },
  async 'speaks no JSON'() {
    process.stdout.write(
      'Warning: something\n[1,2]\n"x"\n{"jsonrpc":"2.0","id":{},"method":7}\n\n',
    );
    send({ id: 4711, result: 'nobody asked' });
    send({ method: 'session/update', params: null });
    update({ sessionUpdate: 'tool_call', toolCallId: 7 });
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'x' } });
    update({ sessionUpdate: 'of a later version' });
    say('Still here.');
    return { stopReason: 'end_turn' };
  },
  async 'has no stop reason'() {
    return null;
  },
  async 'writes one giant line'() {
    const piece = 'x'.repeat(1024 * 1024);
    for (let sent = 0; sent < 20; sent++) {
      if (!process.stdout.write(piece))
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    await new Promise(() => undefined);
  },
  async 'talks without end'() {
    for (let count = 0; count < 3_000; count++) {
      update({ sessionUpdate: 'tool_call', toolCallId: `t${count}`, title: 't', kind: 'read' });
    }
    // All of it one message.
    for (let count = 0; count < 3_000; count++) say('word '.repeat(20));
    return { stopReason: 'end_turn' };
  },
};

const LOADS = ['loads', 'has forgotten'];
for (const name of LOADS) {
  prompts[name] = async (_folder, text) => {
    say(`${loaded ?? 'anew'}: ${text}`);
    return { stopReason: 'end_turn' };
  };
}
let loaded;

const refusal = (code, message, data) => Object.assign(new Error(message), { code, data });

let folder = '';
const answers = {
  initialize: () => {
    if (scene === 'is silent') return new Promise(() => undefined);
    return {
      protocolVersion: scene === 'is of tomorrow' ? 2 : 1,
      agentCapabilities: { loadSession: LOADS.includes(scene) },
    };
  },
  'session/load': ({ sessionId }) => {
    if (scene === 'has forgotten') throw refusal(-32602, 'no such session');
    // It says all of it again.
    say('From before.');
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'old',
      title: 'Old',
      kind: 'edit',
      status: 'completed',
    });
    loaded = sessionId;
    return null;
  },
  'session/new': ({ cwd, mcpServers }) => {
    folder = cwd;
    if (scene === 'wants a sign-in')
      throw refusal(-32000, 'Authentication required', { hint: 'log in' });
    if (mcpServers.length > 0) throw refusal(1, 'no servers were expected');
    const options = [{ value: 'other' }, { value: 'vendor/sim-instant' }];
    const model = { id: 'm', category: 'model', type: 'select', currentValue: 'other', options };
    return { sessionId: 's', ...(scene === 'has models' && { configOptions: [model] }) };
  },
  'session/set_config_option': ({ configId, value }) => {
    prompts['has models'] = async () => {
      say(`${configId} ${value}`);
      return { stopReason: 'end_turn' };
    };
    return {};
  },
  'session/prompt': ({ prompt }) => prompts[scene](folder, prompt[0].text),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, ...answer } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(answer);
  try {
    send({ id, result: await answers[method](params) });
  } catch (error) {
    const { code, message, data } = error;
    send({ id, error: { code, message, data } });
  }
});
