// The floor of durable submits: two inserts in a transaction of their own, by the bare driver.
import pg from 'pg';
import { now } from './clock.ts';

const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: Number(process.env['POOL'] ?? 10),
});
pool.on('error', () => {});
await pool.query(
  `create table if not exists bench_floor_a (id uuid primary key default gen_random_uuid(), status text, body text, at timestamptz default now());
   create table if not exists bench_floor_b (id uuid primary key default gen_random_uuid(), state text, at timestamptz default now())`,
);

async function runInserts(seconds: number, concurrency: number): Promise<number> {
  const started = now();
  const until = started + seconds * 1000;
  let count = 0;
  const worker = async () => {
    while (now() < until) {
      const client = await pool.connect();
      await client.query('begin');
      await client.query({
        name: 'a',
        text: `insert into bench_floor_a (status, body) values ('pending', $1)`,
        values: ['Write something short. [[sim:tokens 5]]'],
      });
      await client.query({
        name: 'b',
        text: `insert into bench_floor_b (state) values ('created')`,
      });
      await client.query('commit');
      client.release();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return count / ((now() - started) / 1000);
}

process.on(
  'message',
  (message: { ask?: string; inserts?: { seconds: number; concurrency: number } }) => {
    if (message.ask === 'stop') process.exit(0);
    if (message.inserts) {
      const { seconds, concurrency } = message.inserts;
      void runInserts(seconds, concurrency).then((perSecond) => process.send?.({ perSecond }));
    }
  },
);
process.send?.({ ready: {} });
process.on('disconnect', () => process.exit(0));
