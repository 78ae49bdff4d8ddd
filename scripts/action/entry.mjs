// The GitHub Action: runs a manifest or a task on a branch, opens a request for it, and says in the page of the job what
// happened. What streams and commands print may contain anything, also what a job would take for an order.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MILLRACE = fileURLToPath(new URL('../../millrace', import.meta.url));
const USAGE = 2;
const LONGEST_SUMMARY = 200_000;

const input = (name) => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
const isOn = (name) => input(name).toLowerCase() === 'true';

const SECRETS = ['api-key', 'token'].map(input).concat(
  // What the job hands on to a server of its own.
  Object.entries(process.env).flatMap(([name, value]) =>
    /^MILLRACE_.*(KEY|TOKEN|SECRET|PASSWORD)/.test(name) ? [value ?? ''] : [],
  ),
);

/** A line that the job reads as an order. */
const order = (name, text) =>
  process.stdout.write(
    `::${name}::${text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}\n`,
  );

function append(file, text) {
  if (file) appendFileSync(file, text);
}

function output(name, value) {
  const end = `end_${randomBytes(12).toString('hex')}`;
  append(process.env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

/** Of a cell in a table, whatever is in it. */
const cell = (text) =>
  String(text)
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .slice(0, 300);

function fail(message) {
  order('error', message);
  append(process.env.GITHUB_STEP_SUMMARY, `### Millrace\n\n${cell(message)}\n`);
  process.exit(USAGE);
}

/** Commits need a name; a repository or a person may have given one. */
const AUTHOR = {
  name: 'github-actions[bot]',
  email: '41898282+github-actions[bot]@users.noreply.github.com',
};

function environment() {
  const { GITHUB_TOKEN: _, ...env } = process.env;
  for (const who of ['AUTHOR', 'COMMITTER']) {
    env[`GIT_${who}_NAME`] ??= AUTHOR.name;
    env[`GIT_${who}_EMAIL`] ??= AUTHOR.email;
  }
  if (input('url') !== '') env.MILLRACE_URL = input('url');
  if (input('api-key') !== '') env.MILLRACE_API_KEY = input('api-key');
  if (input('token') !== '') env.GH_TOKEN = input('token');
  return { ...env, CI: 'true', MILLRACE_NO_INPUT: '1' };
}

/** Its lines of output; what it says to people goes to the log of the job. */
async function millrace(words, onLine) {
  // Nothing that is printed meanwhile is an order.
  const guard = randomBytes(16).toString('hex');
  process.stdout.write(`::stop-commands::${guard}\n`);
  const child = spawn(MILLRACE, words, {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  for await (const line of createInterface({ input: child.stdout })) onLine(line);
  const code = await ended;
  process.stdout.write(`\n::${guard}::\n`);
  return code;
}

function eventOf(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const flag = (name, word = name) => (input(name) === '' ? [] : [`--${word}`, input(name)]);

function runWords() {
  const [manifest, task] = [input('manifest'), input('task')];
  if ((manifest === '') === (task === '')) {
    fail('Name a manifest or a task: one of the inputs "manifest" and "task".');
  }
  const git = input('branch') === '' ? 'branch' : `branch=${input('branch')}`;
  const common = [
    '--git',
    git,
    '--yes',
    '--progress',
    'json',
    ...flag('model'),
    ...flag('max-cost'),
  ];
  // A name that no file of the repository has; nothing of it is committed.
  const file = `millrace-task-${randomBytes(6).toString('hex')}.yaml`;
  if (task !== '') return ['new', '--write', file, '--run', ...common, '--', task];
  const sandbox = isOn('sandbox-commands') ? ['--sandbox-commands'] : [];
  return ['run', ...common, ...flag('agent'), ...sandbox, '--', manifest];
}

function summaryOf({ status, branch, request, totals, streams }) {
  const rows = [...streams.values()].map(
    ({ name, state, cost, error }) =>
      `| ${cell(name)} | ${state} | ${cost} | ${error === undefined ? '' : cell(error)} |`,
  );
  const link = request === undefined ? '' : `\n\n[#${request.number}](${request.url})`;
  const cost = totals?.costUsd == null ? 'not known' : `$${totals.costUsd.toFixed(4)}`;
  return [
    `### Millrace: ${status}`,
    '',
    `Branch ${branch === undefined ? 'none' : `\`${cell(branch)}\``}, cost ${cost}${link}`,
    '',
    '| Stream | State | Cost | |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ]
    .join('\n')
    .slice(0, LONGEST_SUMMARY);
}

const known = { status: 'failed', streams: new Map() };

function follow(event) {
  switch (event?.type) {
    case 'run.started':
      Object.assign(known, { runId: event.runId, branch: event.branch?.name });
      for (const { id, name, status } of event.streams) {
        known.streams.set(id, { name, state: status, cost: '' });
      }
      break;
    case 'stream.completed':
    case 'stream.failed': {
      const { stream: id, costUsd, error } = event;
      const row = known.streams.get(id) ?? { name: id };
      const state = event.type === 'stream.completed' ? 'complete' : 'failed';
      const cost = costUsd === null ? 'not known' : `$${costUsd.toFixed(4)}`;
      known.streams.set(id, { ...row, state, cost, error });
      break;
    }
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.paused':
      known.status = event.type === 'run.completed' ? 'complete' : event.type.slice('run.'.length);
      known.totals = event.totals;
      break;
    default:
  }
  // A line for each, so that the log shows that something happens.
  if (event?.type !== undefined) process.stdout.write(`${event.type} ${event.stream ?? ''}\n`);
}

for (const secret of SECRETS) if (secret !== '') order('add-mask', secret);
let code = await millrace(runWords(), (line) => follow(eventOf(line)));
if (code === 0 && known.runId !== undefined && known.branch !== undefined) {
  const words = ['pr', known.runId, '--yes', '--json', ...flag('base'), ...flag('title')];
  if (isOn('draft')) words.push('--draft');
  words.push(...flag('reviewers', 'reviewer'));
  let printed = '';
  code = await millrace(words, (line) => (printed = line));
  const request = eventOf(printed);
  if (typeof request?.number === 'number') known.request = request;
}
output('run-id', known.runId ?? '');
output('status', known.status);
output('branch', known.branch ?? '');
output('number', known.request?.number ?? '');
output('url', known.request?.url ?? '');
append(process.env.GITHUB_STEP_SUMMARY, summaryOf(known));
if (code !== 0) order('error', `The run ended with exit code ${code}: ${known.status}.`);
process.exitCode = code;
