// The GitHub Action: runs a manifest or a task on a branch, opens a request for it, and says in the page of the job what
// happened. What streams and commands print may contain anything, also what a job would take for an order.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MILLRACE = fileURLToPath(new URL('../../millrace', import.meta.url));
const USAGE = 2;
const LONGEST_SUMMARY = 200_000;
/** Of what a command has said last, in the page of the job. */
const MOST_SAID = 12;

const input = (name) => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
const isOn = (name) => input(name).toLowerCase() === 'true';

/** As git sends it to a forge. */
const basic = Buffer.from(`x-access-token:${input('token')}`).toString('base64');

const SECRETS = ['api-key', 'token'].map(input).concat(
  input('token') === '' ? [] : basic,
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

/** As text in a cell of a table, whatever is in it: no link, no picture and no HTML. */
const cell = (text) =>
  String(text)
    .replaceAll(/[\r\n]+/g, ' ')
    .slice(0, 300)
    .replaceAll(/[\\`*_[\]()!|~#]/g, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');

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
  const { GITHUB_TOKEN: _, GH_TOKEN: __, ...given } = process.env;
  const env = Object.fromEntries(
    Object.entries(given).filter(([name]) => !name.startsWith('INPUT_')),
  );
  for (const who of ['AUTHOR', 'COMMITTER']) {
    env[`GIT_${who}_NAME`] ??= AUTHOR.name;
    env[`GIT_${who}_EMAIL`] ??= AUTHOR.email;
  }
  if (input('url') !== '') env.MILLRACE_URL = input('url');
  if (input('api-key') !== '') env.MILLRACE_API_KEY = input('api-key');
  // A container may have no node of its own.
  env.PATH = [env.PATH, dirname(process.execPath)].filter(Boolean).join(delimiter);
  return { ...env, CI: 'true', MILLRACE_NO_INPUT: '1' };
}

/** Only what pushes and opens gets the token: a run has no use for it. */
function environmentWithToken() {
  const env = { ...environment(), GH_TOKEN: input('token') };
  const server = process.env.GITHUB_SERVER_URL ?? 'https://github.com';
  const key = `http.${server}/.extraheader`;
  const header = `AUTHORIZATION: basic ${basic}`;
  // In place of what the checkout has left: two such headers are refused.
  const first = Number(env.GIT_CONFIG_COUNT ?? 0);
  for (const [at, value] of ['', header].entries()) {
    env[`GIT_CONFIG_KEY_${first + at}`] = key;
    env[`GIT_CONFIG_VALUE_${first + at}`] = value;
  }
  return { ...env, GIT_CONFIG_COUNT: String(first + 2) };
}

/** Its lines of output; what it says to people goes to the log of the job. */
async function millrace(words, { env, onLine }) {
  // Nothing that is printed meanwhile is an order.
  const guard = randomBytes(16).toString('hex');
  process.stdout.write(`::stop-commands::${guard}\n`);
  const child = spawn(MILLRACE, words, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  known.said = [];
  const errors = createInterface({ input: child.stderr }).on('line', (line) => {
    process.stderr.write(`${line}\n`);
    known.said = [...known.said, line].slice(-MOST_SAID);
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  for await (const line of createInterface({ input: child.stdout })) onLine(line);
  const code = await ended;
  errors.close();
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

function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** What would fail after everything was paid for. */
function checkFirst() {
  if (input('token') === '') {
    fail('The input "token" is empty. A pull request from a fork gets no secrets.');
  }
  const { GITHUB_EVENT_NAME: event = '', GITHUB_EVENT_PATH: path } = process.env;
  const said = path === undefined ? undefined : eventOf(readFileSync(path, 'utf8'));
  const from = said?.pull_request?.head?.repo?.full_name;
  const isFromFork = from !== undefined && from !== said.repository?.full_name;
  if (isFromFork && /^pull_request(_review|_review_comment)?$/.test(event)) {
    fail(
      `This job is about a pull request from a fork (${from}), and its token may only read. Run it on push, on a schedule or by hand.`,
    );
  }
  if (git('rev-parse', '--is-inside-work-tree') === undefined) {
    fail('There is no repository here that git uses. Put actions/checkout before this step.');
  }
  const branch = input('branch');
  if (branch !== '' && git('ls-remote', 'origin', `refs/heads/${branch}`)) {
    fail(`There is a branch "${branch}" already. Name another one, or leave the input out.`);
  }
}

/** Each job has a checkout of its own: without its number a second one would go to the branch of the first. */
function branchOfJob() {
  if (input('branch') !== '') return `branch=${input('branch')}`;
  const { GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT: attempt = '1' } = process.env;
  if (!id) return 'branch';
  const name = basename(input('manifest') || 'task').replace(/\.[^.]*$/, '');
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `branch=millrace/${slug || 'run'}-${id}${attempt === '1' ? '' : `-${attempt}`}`;
}

const flag = (name, word = name) => (input(name) === '' ? [] : [`--${word}`, input(name)]);

function runWords() {
  const [manifest, task] = [input('manifest'), input('task')];
  if ((manifest === '') === (task === '')) {
    fail('Name a manifest or a task: one of the inputs "manifest" and "task".');
  }
  const common = [
    '--git',
    branchOfJob(),
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

function summaryOf({ status, branch, request, totals, streams, problem, said }) {
  const rows = [...streams.values()].map(
    ({ name, state, cost, error }) =>
      `| ${cell(name)} | ${state} | ${cost} | ${error === undefined ? '' : cell(error)} |`,
  );
  const link = request === undefined ? '' : `\n\n[#${request.number}](${request.url})`;
  const cost = totals?.costUsd == null ? 'not known' : `$${totals.costUsd.toFixed(4)}`;
  return [
    `### Millrace: ${status}`,
    '',
    `Branch ${branch === undefined ? 'none' : cell(branch)}, cost ${cost}${link}`,
    '',
    ...(problem === undefined
      ? []
      : [cell(problem), '', ...said.map((line) => `> ${cell(line)}  `)]),
    '',
    '| Stream | State | Cost | |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ]
    .join('\n')
    .slice(0, LONGEST_SUMMARY);
}

const known = { status: 'failed', streams: new Map(), said: [] };

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
const words = runWords();
checkFirst();
let code = await millrace(words, { env: environment(), onLine: (line) => follow(eventOf(line)) });
if (code !== 0) known.problem = `The run ended with exit code ${code}: ${known.status}.`;
else if (known.runId !== undefined && known.branch !== undefined) {
  const opening = ['pr', known.runId, '--yes', '--json', ...flag('base'), ...flag('title')];
  if (isOn('draft')) opening.push('--draft');
  opening.push(...flag('reviewers', 'reviewer'));
  let printed = '';
  const onLine = (line) => (printed = line);
  code = await millrace(opening, { env: environmentWithToken(), onLine });
  const request = eventOf(printed);
  if (typeof request?.number === 'number') known.request = request;
  const { error: { message, hint } = {}, failed, why } = request ?? {};
  const check = failed && `${failed.stream} fails its check: ${failed.error}`;
  known.said.push(...[message, hint, check, why].filter(Boolean));
  if (code !== 0) {
    known.problem = `The run is complete, and no request was opened for it: exit code ${code}.`;
  }
}
output('run-id', known.runId ?? '');
output('status', known.status);
output('branch', known.branch ?? '');
output('number', known.request?.number ?? '');
output('url', known.request?.url ?? '');
append(process.env.GITHUB_STEP_SUMMARY, summaryOf(known));
if (known.problem !== undefined) order('error', known.problem);
process.exitCode = code;
