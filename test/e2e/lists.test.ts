// Lists of every kind are shown in one way.
import { expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

async function asCaller(): Promise<(...args: string[]) => ReturnType<typeof runHere>> {
  const { key } = await server().createKey({ scopes: [...SCOPES] });
  const env = {
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: key,
    DATABASE_URL: server().databaseUrl,
  };
  return (...args) => runHere(args, env);
}

it('an empty list says so beside the output, and is a document with --json', async () => {
  const millrace = await asCaller();
  for (const [command, field, says] of [
    ['keys list', 'keys', 'No provider keys. Add one with: '],
    ['webhooks list', 'items', 'No webhooks. Add one with: '],
    ['schedules list', 'items', 'No schedules. Add one with: '],
    ['triggers list', 'items', 'No triggers. Add one with: '],
    ['exec list', 'items', 'No executions. Start one with: '],
    ['audit --action member.added', 'items', 'No entries.'],
    ['admin users --search nobody@example.org', 'items', 'No accounts found.'],
    ['admin teams --search nobody@example.org', 'items', 'No teams found.'],
  ] as const) {
    const words = command.split(' ');
    const { code, stdout, stderr } = await millrace(...words);
    expect([command, code, stdout]).toEqual([command, 0, '']);
    expect(stderr).toContain(says);
    const json = await millrace(...words, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ [field]: [] });
    expect(json.stderr).toBe('');
  }
});

it('a page that is not the last names the command for the next', async () => {
  const millrace = await asCaller();
  for (const name of ['a', 'b', 'c']) await millrace('team', 'create', name);
  for (const [command, next] of [
    ['admin users --limit 1 --search example.com', /admin users --search example\.com --before /],
    ['admin teams --limit 1', /admin teams --before team_/],
  ] as const) {
    const { code, stdout, stderr } = await millrace(...command.split(' '));
    expect(code, stderr).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toMatch(next);
  }
});
