// Approvals of two servers that are processes of their own on one database, and of a command that is killed while it waits.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { ListedApproval, MillraceError } from '../../src/client/index.ts';
import { startRun } from '../agent-streams/command.ts';
import type { Command } from '../agent-streams/command.ts';
import { createProject, feature } from '../orchestrator/project.ts';
import type { Project } from '../orchestrator/project.ts';
import { writes } from '../orchestrator/use-projects.ts';
import { startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { askBody } from './ask.ts';

let database: TestDatabase;
let nodes: ServeProcess[] = [];
let keys: string[];
const emailOf = new Map<string, string>();
let places: Project[] = [];
let commands: Command[] = [];

const startOne = () =>
  startServe(['--port', '0'], {
    DATABASE_URL: database.url,
    MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
    MILLRACE_DRAIN_SECONDS: '0',
  });
const kill = () => Promise.all(nodes.splice(0).map((node) => node.kill('SIGKILL')));

beforeAll(async () => {
  database = await createTestDatabase();
  const setup = await startTestServer({}, database.url);
  const email = 'asks@example.com';
  keys = [];
  for (let i = 0; i < 2; i++) keys.push((await setup.createKey({ email })).key);
  const team = await setup.teamId(email);
  const other = await setup.createKey({ email: 'other@example.com' });
  const userId = await setup.userId(other.email);
  const values = [team, userId];
  await setup.db.query(
    `insert into team_members (team_id, user_id, role) values ($1, $2, 'admin')`,
    values,
  );
  await setup.db.query('update api_keys set team_id = $1 where user_id = $2', values);
  keys[1] = other.key;
  emailOf.set(keys[0]!, email).set(keys[1], other.email);
  await setup.close();
  nodes = await Promise.all([startOne(), startOne()]);
});
afterEach(() => {
  for (const { child } of commands.splice(0)) child.kill('SIGKILL');
  for (const place of places.splice(0)) place.remove();
});
afterAll(async () => {
  await kill();
  await database?.drop();
});

const client = (i = 0, key = keys[0]!) => new MillraceClient(nodes[i]!.ready.url!, key);
const ask = (expiresInSeconds?: number) =>
  client().approvals.create({
    ...(askBody() as Parameters<MillraceClient['approvals']['create']>[0]),
    ...(expiresInSeconds !== undefined && { expiresInSeconds }),
  });

it('of fifty answers at once one counts, and the others learn whose it was', async () => {
  verifies('approvals.once');
  for (let round = 0; round < 3; round++) {
    const { id, hash } = await ask();
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const key = keys[i % 2]!;
        const decision = i % 3 === 0 ? 'deny' : 'approve';
        const said = client(i % 4 < 2 ? 0 : 1, key).approvals.resolve(id, { decision, hash });
        const error = await said.then(
          () => undefined,
          (thrown: unknown) => thrown as MillraceError,
        );
        return { by: emailOf.get(key)!, decision, error };
      }),
    );
    const won = answers.filter(({ error }) => error === undefined);
    expect(won).toHaveLength(1);
    const { by, decision } = won[0]!;
    const status = decision === 'approve' ? 'approved' : 'denied';
    for (const { error } of answers.filter((each) => each !== won[0])) {
      expect(error).toMatchObject({ status: 409, details: { by, status } });
      expect(error!.message).toContain(by);
    }
    for (const i of [0, 1]) {
      expect(await client(i).approvals.get(id)).toMatchObject({
        status,
        resolution: { by: { email: by } },
      });
    }
  }
});

it('an answer for something else than was shown is refused by either', async () => {
  verifies('approvals.hash');
  const { id, hash } = await ask();
  const other = hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  for (const i of [0, 1]) {
    const said = client(i).approvals.resolve(id, { decision: 'approve', hash: other });
    await expect(said).rejects.toMatchObject({ status: 409, details: { hash } });
  }
  expect(await client(1).approvals.get(id)).toMatchObject({ status: 'open' });
});

it('what runs out while no server is up is denied when one starts, and its run learns of it', async () => {
  verifies('approvals.expiry');
  const { id, hash } = await ask(2);
  const since = performance.now();
  await kill();
  await waitUntil(() => performance.now() - since > 2500, 'its time to be over');
  nodes = await Promise.all([startOne(), startOne()]);
  const ended = await client(1).approvals.get(id, { waitSeconds: 30 });
  expect(ended).toMatchObject({ status: 'denied', resolution: { by: null, expired: true } });
  const late = client().approvals.resolve(id, { decision: 'approve', hash });
  await expect(late).rejects.toMatchObject({ status: 409 });
});

const open = (about: string): Promise<ListedApproval> =>
  waitUntil(async () => {
    const { items } = await client(1).approvals.list({ status: 'open' });
    return items.find(({ title }) => title.includes(about));
  }, `a question about ${about}`);

function place(manifest: string): Project {
  const made = createProject(manifest);
  places.push(made);
  return made;
}

/** By `run`, at a server. */
function started(project: Project, i: number): Command {
  const command = startRun(project, {
    HOME: project.root,
    XDG_STATE_HOME: '',
    MILLRACE_URL: nodes[i]!.ready.url!,
    MILLRACE_API_KEY: keys[0]!,
  });
  commands.push(command);
  return command;
}

it.each(['changes', 'plan'] as const)(
  'a command that is killed while it waits for its %s finds the answer when it is resumed, and pays for nothing twice',
  async (kind) => {
    verifies('approvals.resumed');
    const model = { model: 'sim-instant' };
    const manifest =
      kind === 'plan'
        ? feature({ a: writes('a') }, { ...model, feature: 'held-plan', approve: ['plan'] })
        : feature(
            { a: writes('a', { approve: ['changes'] }), b: writes('b', { deps: ['a'] }) },
            model,
          );
    const project = place(manifest);
    const first = started(project, 0);
    const asked = await open(kind === 'plan' ? 'Run held-plan' : 'changes of a:');
    first.child.kill('SIGKILL');
    await first.ended;
    expect(project.exists('a.txt')).toBe(false);
    const { hash, id, runId } = asked;
    await client(1, keys[1]).approvals.resolve(id, { decision: 'approve', hash });
    const second = started(project, 1);
    expect(await second.ended, JSON.stringify(second.events)).toBe(0);
    expect(project.exists('a.txt')).toBe(true);
    const { items } = await client().approvals.list({ runId });
    expect(items.map((each) => each.id)).toEqual([id]);
    const { items: jobs } = await client().listJobs({ limit: 100 });
    expect(jobs.filter((job) => job.runId === runId)).toHaveLength(kind === 'plan' ? 1 : 2);
  },
);
