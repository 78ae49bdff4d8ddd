import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import { apiDocument } from '../../scripts/docs-site/api-document.ts';
import { CLIENT_EXAMPLES } from '../../scripts/docs-site/reference/client-examples.ts';
import { VERSION } from '../../src/app/version.ts';
import { createProgram } from '../../src/cli/program.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

/** Whether the words lead to a command, and each flag is one of its own. */
function knows(program: Command, words: readonly string[]): boolean {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) break;
    command = next;
  }
  const flags = words.filter((word) => word.startsWith('--'));
  const known = [...program.options, ...command.options].map(({ long }) => long);
  return command.parent !== null && flags.every((flag) => known.includes(flag));
}

it('the reference page shows every route in words, without a script from elsewhere', async () => {
  verifies('http.docs');
  const response = await fetch(`${server().url}/docs/api`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const page = await response.text();
  const text = page.replaceAll('<wbr />', '').replaceAll('<wbr>', '');
  const paths = ['/api/v1/execute', '/api/v1/history', '/api/v1/job/', '/events', '/cancel'];
  for (const path of paths) expect(text).toContain(path);
  for (const words of ['Create a job', 'Cancel a job', 'List runs', 'maxTokens', 'X-API-Key']) {
    expect(text).toContain(words);
  }
  expect(page).not.toMatch(/(?:src|href)="https?:/);
});

it('the reference is built from the description that the server gives', async () => {
  const { body } = await server().call('GET', '/openapi.json');
  // As JSON: what is undefined is not there.
  expect(JSON.parse(JSON.stringify(await apiDocument(VERSION)))).toEqual(body);
});

it('every operation has examples that there are: of the client, and of the command line', async () => {
  const { body } = await server().call('GET', '/openapi.json');
  const paths = Object.values(body['paths'] as Record<string, Record<string, object>>);
  const ids = paths
    .flatMap((path) => Object.values(path))
    .map((operation) => (operation as { operationId?: string }).operationId);
  const program = await createProgram(() => async () => {});
  const client = new MillraceClient(server().url, '') as unknown as Record<string, unknown>;
  for (const [id, { client: call, command }] of Object.entries(CLIENT_EXAMPLES)) {
    expect(ids).toContain(id);
    const names = call?.split('(', 1)[0]!.split('.') ?? [];
    const method = names.reduce<unknown>(
      (on, name) => (on as Record<string, unknown>)[name],
      client,
    );
    if (call !== undefined) expect(typeof method, call).toBe('function');
    if (command !== undefined) expect(knows(program, command.split(' ')), command).toBe(true);
  }
  // As it reads: the colours of code are elements.
  const page = (await (await fetch(`${server().url}/docs/api`)).text())
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'");
  expect(page).toContain('millrace job get JOB_ID --wait 30s');
  expect(page).toContain('await millrace.webhooks.list()');
});
