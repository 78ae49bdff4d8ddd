// Prints the output of a command-line agent, as its first argument says; the agent's own options follow it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const scene = process.argv[2];
const print = (...values) => {
  for (const value of values) process.stdout.write(`${JSON.stringify(value)}\n`);
};
const task = readFileSync(0, 'utf8');
const settings = join(process.env.HOME, '.gemini', 'settings.json');

const resumed = process.argv
  .find((word) => /(?:^|=)c-1$/.test(word))
  ?.split('=')
  .at(-1);

const SCENES = {
  claude() {
    const say = (type, content) => print({ type, message: { role: type, content } });
    print({
      type: 'system',
      subtype: 'init',
      session_id: resumed ?? '--not an id',
      tools: ['Bash'],
      mcp_servers: [],
    });
    say('assistant', [
      { type: 'thinking', thinking: 'First I look around.' },
      { type: 'text', text: `I was asked for ${task}.` },
    ]);
    say('assistant', [
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls', description: 'x' } },
    ]);
    say('user', [{ type: 'tool_result', tool_use_id: 't1', content: 'a', is_error: false }]);
    say('user', 'a text that is no list');
    print({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'All done.',
      total_cost_usd: 0.042,
      usage: {
        input_tokens: 1,
        output_tokens: 7,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 10,
      },
      permission_denials: [
        { tool_name: 'WebFetch', tool_use_id: 't2', tool_input: { url: 'https://example.com' } },
      ],
    });
  },
  'claude at its limit'() {
    print({ type: 'result', subtype: 'error_max_turns', is_error: true, permission_denials: [] });
    process.exitCode = 1;
  },
  codex() {
    const item = (state, value) => print({ type: `item.${state}`, item: value });
    print({ type: 'thread.started', thread_id: resumed ?? 'x' }, { type: 'turn.started' });
    item('completed', { id: 'i0', type: 'error', message: 'Model metadata not found.' });
    item('completed', { id: 'i1', type: 'agent_message', text: `I was asked for ${task}.` });
    const command = { id: 'i2', type: 'command_execution', command: 'bash -lc ls' };
    item('started', { ...command, exit_code: null, status: 'in_progress' });
    item('completed', { ...command, exit_code: 0, status: 'completed' });
    item('completed', {
      id: 'i3',
      type: 'file_change',
      changes: [
        { path: 'a', kind: 'add' },
        { path: 'b', kind: 'update' },
      ],
    });
    item('completed', { id: 'i4', type: 'agent_message', text: 'All done.' });
    print({
      type: 'turn.completed',
      usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 1 },
    });
  },
  'codex in trouble'() {
    print({ type: 'error', message: 'stream disconnected' });
    print({ type: 'turn.failed', error: { message: 'out of budget' } });
    process.exitCode = 1;
  },
  gemini() {
    process.stdout.write('Loaded cached credentials.\n');
    print(
      { type: 'init', session_id: resumed ?? 'x', model: 'm' },
      { type: 'message', role: 'user', content: task },
    );
    print({ type: 'message', role: 'assistant', content: 'I was asked ', delta: true });
    print({ type: 'message', role: 'assistant', content: `for ${task}.`, delta: true });
    print({
      type: 'tool_use',
      tool_name: 'write_file',
      tool_id: 'w',
      parameters: { file_path: 'a', content: 'x' },
    });
    print({ type: 'tool_result', tool_id: 'w', status: 'success' });
    const auth = JSON.parse(readFileSync(settings, 'utf8')).security.auth.selectedType;
    print({ type: 'message', role: 'assistant', content: `All done with ${auth}.`, delta: true });
    print({ type: 'error', severity: 'warning', message: 'Loop detected' });
    print({
      type: 'result',
      status: 'success',
      stats: { input_tokens: 5, output_tokens: 2, cached: 3 },
    });
  },
  'gemini that cannot start'() {
    process.stderr.write('Invalid auth method selected.\n');
    process.exitCode = 41;
  },
  opencode() {
    const part = (type, value) =>
      print({ type, timestamp: 1, sessionID: resumed ?? 's', part: { id: 'p', ...value } });
    part('step_start', { type: 'step-start' });
    part('text', { type: 'text', text: `I was asked for ${task}.` });
    const state = {
      status: 'completed',
      input: { filePath: 'a', content: 'x' },
      time: { start: 100, end: 160 },
    };
    part('tool_use', { type: 'tool', tool: 'write', callID: 'c', state });
    part('text', { type: 'text', text: `I see ${readdirSync('.').sort().join(' ')}.` });
    part('step_finish', { type: 'step-finish', reason: 'stop', cost: 0 });
  },
  'opencode in trouble'() {
    print({ type: 'error', error: { name: 'APIError', data: { message: 'no such model' } } });
  },
  'anything else'() {
    print(
      { type: 'result' },
      { type: 'message' },
      { item: 7 },
      { type: 'item.completed', item: { id: 'a', type: 'x' } },
    );
    process.stdout.write('null\n{"type":\n[]\n{}\n');
    print({ type: 'assistant', message: { content: [{ type: 'of tomorrow' }, null, 7] } });
    print({ type: 'text', part: { type: 'text', text: 7 } }, { type: 'tool_use', part: {} });
  },
};
SCENES[scene]();
