import { expect, test } from 'vitest';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createKeyIn } from '../support/chaos/accounts.ts';
import { findContradictions, untilAllEnded, untilTidy } from '../support/chaos/check-tables.ts';
import { useCleanup } from '../support/chaos/cleanup.ts';
import { createChaosClient } from '../support/chaos/client.ts';
import { createHistory } from '../support/chaos/history.ts';
import type { ServerOptions, ServerProcess } from '../support/chaos/server-process.ts';
import { createDataFolder, launchServer } from '../support/chaos/server-process.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const NODES = 3;
const JOBS_A_NODE = 25;
const cleanup = useCleanup();

function launch(options: ServerOptions): ServerProcess {
  const server = launchServer(options);
  cleanup(() => server.kill('SIGKILL'));
  return server;
}

test('a second server on a data folder ends with a message, and the first goes on', async () => {
  const folder = await createDataFolder();
  cleanup(() => folder.remove());
  const first = launch({ dataDir: folder.path });
  const url = await first.ready();

  const second = launch({ dataDir: folder.path });
  expect(await second.ended).toBe(1);
  const { error } = JSON.parse(second.output()) as { error: { code: string; message: string } };
  expect(error).toEqual({
    code: 'DATA_FOLDER_IN_USE',
    message:
      `The data folder ${folder.path} is in use by another Millrace server (pid ${first.pid}). ` +
      'Stop it, or choose another folder with --data-dir.',
  });

  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
});

test('nodes that start together on an empty database all get ready and share the work', async () => {
  const database = await createEmptyDatabase();
  cleanup(() => database.drop());
  const nodes = Array.from({ length: NODES }, () =>
    launch({ databaseUrl: database.url, slots: 8 }),
  );
  const urls = await Promise.all(nodes.map((node) => node.ready()));

  const db = openDb({ url: database.url, poolSize: 1, silenceMs: PATIENT_MS });
  cleanup(() => db.close());
  const history = createHistory();
  const apiKey = await createKeyIn(db);
  const clients = urls.map((url) => createChaosClient({ url: () => url, apiKey, history }));
  await Promise.all(
    clients.flatMap((client, index) =>
      Array.from({ length: JOBS_A_NODE }, async (_, count) => {
        const body = { model: 'sim-instant', prompt: 'together [[sim:delay 200]]' };
        const jobId = await client.submit(`node-${index}-${count}`, body);
        // Asked for at another node than it was given to.
        const view = await clients[(index + 1) % NODES]!.finished(jobId);
        expect(view.status).toBe('completed');
      }),
    ),
  );

  await untilAllEnded(db);
  await untilTidy(db, NODES);
  expect(history.violations()).toEqual([]);
  expect(await findContradictions(db)).toEqual([]);
  expect(history.jobIds()).toHaveLength(NODES * JOBS_A_NODE);
  // A node that got no time to say that it lives is right to stop; nothing else may go wrong.
  const errors = nodes.flatMap((node) => node.logged('"level":50'));
  expect(
    errors.filter(({ msg }) => !String(msg).startsWith('could not reach the database')),
  ).toEqual([]);
});
