// The official conformance suite of the Model Context Protocol against /mcp of a real server, in both
// generations of the protocol.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromRoot } from '../pins/tree.ts';
import { cleanEnv } from '../support/cli.ts';
import { useServer } from '../support/use-server.ts';
import { startBearerProxy } from './bearer-proxy.ts';

const SUITE = fromRoot('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const VERSIONS = ['2025-11-25', '2026-07-28'];

/** Scenarios that must pass, and checks of them that cannot, each with the reason. */
const APPLIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'server-initialize': {},
  ping: {},
  'tools-list': {},
  'dns-rebinding-protection': {},
  'http-header-validation': {},
  'server-sse-multiple-streams': {},
  'input-required-result-unsupported-methods': {},
  'resources-list': {},
  'sep-2164-resource-not-found': {},
  'server-stateless': {
    'sep-2575-server-rejects-undeclared-capability': 'asks for its own tool',
    'sep-2575-missing-capability-http-400': 'asks for its own tool',
    'sep-2575-http-server-no-independent-requests-on-stream': 'asks for its own tool',
    'sep-2575-server-no-log-without-loglevel': 'asks for its own tool',
  },
  caching: {
    'sep-2549-prompts-list-caching-hints': 'fails where there are no prompts',
  },
};

const OWN_TOOLS = 'calls tools that only a server made for the suite has';
const OWN_RESOURCES = 'reads resources that only a server made for the suite has';
const OWN_PROMPTS = 'gets prompts that only a server made for the suite has';
const NO_SESSIONS = 'any node answers any request: there are no sessions to keep or resume';
const NOT_OFFERED = 'the tools neither log by the protocol nor complete arguments';
const NO_SKILLS = 'an extension that is not offered';
const TASKS = 'an extension that is tried with tools that only a server made for the suite has';

const DOES_NOT_APPLY: Readonly<Record<string, string>> = {
  'server-session-lifecycle': NO_SESSIONS,
  'server-sse-polling': NO_SESSIONS,
  'logging-set-level': NOT_OFFERED,
  'completion-complete': NOT_OFFERED,
  'tools-call-simple-text': OWN_TOOLS,
  'tools-call-image': OWN_TOOLS,
  'tools-call-audio': OWN_TOOLS,
  'tools-call-embedded-resource': OWN_TOOLS,
  'tools-call-mixed-content': OWN_TOOLS,
  'tools-call-with-logging': OWN_TOOLS,
  'tools-call-error': OWN_TOOLS,
  'tools-call-with-progress': OWN_TOOLS,
  'tools-call-sampling': OWN_TOOLS,
  'tools-call-elicitation': OWN_TOOLS,
  'json-schema-2020-12': OWN_TOOLS,
  'elicitation-sep1034-defaults': OWN_TOOLS,
  'elicitation-sep1330-enums': OWN_TOOLS,
  'http-custom-header-server-validation': OWN_TOOLS,
  'input-required-result-basic-elicitation': OWN_TOOLS,
  'input-required-result-basic-sampling': OWN_TOOLS,
  'input-required-result-basic-list-roots': OWN_TOOLS,
  'input-required-result-request-state': OWN_TOOLS,
  'input-required-result-multiple-input-requests': OWN_TOOLS,
  'input-required-result-multi-round': OWN_TOOLS,
  'input-required-result-missing-input-response': OWN_TOOLS,
  'input-required-result-result-type': OWN_TOOLS,
  'input-required-result-tampered-state': OWN_TOOLS,
  'input-required-result-capability-check': OWN_TOOLS,
  'input-required-result-ignore-extra-params': OWN_TOOLS,
  'input-required-result-validate-input': OWN_TOOLS,
  'input-required-result-non-tool-request': OWN_PROMPTS,
  'resources-read-text': OWN_RESOURCES,
  'resources-read-binary': OWN_RESOURCES,
  'resources-templates-read': OWN_RESOURCES,
  'resources-subscribe': OWN_RESOURCES,
  'resources-unsubscribe': OWN_RESOURCES,
  'prompts-list': OWN_PROMPTS,
  'prompts-get-simple': OWN_PROMPTS,
  'prompts-get-with-args': OWN_PROMPTS,
  'prompts-get-embedded-resource': OWN_PROMPTS,
  'prompts-get-with-image': OWN_PROMPTS,
  'sep-2640-skills-directory': NO_SKILLS,
  'sep-2640-skills-enumeration': NO_SKILLS,
  'sep-2640-skills-manifest': NO_SKILLS,
  'tasks-lifecycle': TASKS,
  'tasks-capability-negotiation': TASKS,
  'tasks-wire-fields': TASKS,
  'tasks-request-state-removal': TASKS,
  'tasks-mrtr-input': TASKS,
  'tasks-request-headers': TASKS,
  'tasks-dispatch-and-envelope': TASKS,
  'tasks-status-notifications': TASKS,
  'tasks-required-task-error': TASKS,
  'tasks-mrtr-composition': TASKS,
};

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  errorMessage?: string;
}

/** It ends with a failure where any scenario fails, whether that applies or not. */
function runSuite(...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { env: cleanEnv({}), maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [SUITE, ...args], options, (_error, stdout) => resolve(stdout));
  });
}

/** The name of a folder is the scenario and the time at which it ran. */
function readResults(folder: string): Map<string, Check[]> {
  const found = new Map<string, Check[]>();
  for (const name of readdirSync(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1] ?? name;
    const checks = readFileSync(join(folder, name, 'checks.json'), 'utf8');
    found.set(scenario, JSON.parse(checks) as Check[]);
  }
  return found;
}

const server = useServer({ role: 'api' });
const folders: string[] = [];
const results = new Map<string, Map<string, Check[]>>();
let listed = '';

beforeAll(async () => {
  const { key } = await server().createKey();
  const proxy = await startBearerProxy(server().url, key);
  const url = `http://localhost:${proxy.port}/mcp`;
  const run = async (version: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-conformance-'));
    folders.push(folder);
    const which = ['--suite', 'all', '--spec-version', version];
    await runSuite('server', '--url', url, ...which, '--output-dir', folder);
    results.set(version, readResults(folder));
  };
  [listed] = await Promise.all([runSuite('list', '--server'), ...VERSIONS.map(run)]);
  await proxy.close();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

it('every scenario of the suite is judged', () => {
  const known = [...listed.matchAll(/^ {2}- ([a-z0-9-]+)/gm)].map(([, name]) => name);
  expect(new Set(known)).toEqual(
    new Set([...Object.keys(APPLIES), ...Object.keys(DOES_NOT_APPLY)]),
  );
});

describe.each(VERSIONS)('protocol %s', (version) => {
  it('passes what applies', () => {
    const failed: string[] = [];
    let passed = 0;
    for (const [scenario, checks] of results.get(version) ?? []) {
      const excepted = APPLIES[scenario];
      if (excepted === undefined) continue;
      for (const { id, status, errorMessage = '' } of checks) {
        if (status === 'SUCCESS') passed += 1;
        if (status !== 'FAILURE' || Object.hasOwn(excepted, id)) continue;
        failed.push(`${scenario} ${id}: ${errorMessage}`);
      }
    }
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(8);
  });

  it('sends no message that breaks the schema, whatever it is asked', () => {
    const checks = [...(results.get(version)?.values() ?? [])].flat();
    const wire = checks.filter(({ id }) => id === 'wire-schema-valid');
    expect(wire.length).toBeGreaterThan(20);
    expect(wire.filter(({ status }) => status !== 'SUCCESS')).toEqual([]);
  });
});

it('every scenario that applies was run', () => {
  const run = new Set([...results.values()].flatMap((each) => [...each.keys()]));
  expect(Object.keys(APPLIES).filter((scenario) => !run.has(scenario))).toEqual([]);
});
