// The least that a poll can cost: bare Fastify and one prepared select through a pool.
import { fastify } from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
pool.on('error', () => {});
const app = fastify({ logger: false });
app.get<{ Params: { id: string } }>('/job/:id', async (request, reply) => {
  const { rows } = await pool.query<{ status: string }>({
    name: 'poll',
    text: 'select id, user_id, status, attempt, tokens_input, tokens_output from jobs where id = $1',
    values: [request.params.id],
  });
  const row = rows[0];
  if (row === undefined) return reply.code(404).send({ error: 'none' });
  return { status: row.status };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('message', (message: { ask: string }) => {
  if (message.ask === 'stop') void app.close().then(() => process.exit(0));
});
process.send?.({ ready: { url } });
process.on('disconnect', () => process.exit(0));
