// list: paging through a hundred thousand executions, each page at the same cost.
import type { Stage } from '../harness/stage.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const COUNT = 100_000;
const PAGE = 100;
/** Pages at either end that are compared. */
const COMPARED = 100;

/** Executions that have ended, as the server writes them. */
const FILL = `
  with n as (
    select lpad(i::text, 26, '0') as suffix, now() - (${COUNT} - i) * interval '1 minute' as at, i
    from generate_series(1, ${COUNT}) i
  ), r as (
    insert into runs (id, user_id, team_id, feature, status, source, stream_count, wave_count,
      tokens_input, tokens_output, cost_usd, started_at, ended_at, duration_ms)
    select 'run_' || suffix, $1, $2, 'list', 'complete', 'execution', 9, 3, 9000, 4000, 0.087, at,
      at + interval '30 seconds', 30000 from n
  )
  insert into executions (id, user_id, team_id, run_id, status, task, context, dry_run, max_steps,
    timeout_ms, provider, model, simulated, sequence, steps_total, steps_done, result, created_at,
    deadline_at, ended_at)
  select 'exec_' || suffix, $1, $2, 'run_' || suffix,
    case when i % 100 = 0 then 'failed' else 'completed' end, '"' || repeat('task ', 40) || '"',
    '{"files":[],"contents":{},"environment":"default"}', false, 10, 600000, 'simulator',
    'sim-standard', true, 10, 8, 8, '{"success":true,"artifacts":[],"summary":""}', at,
    at + interval '10 minutes', at + interval '30 seconds' from n`;

interface Page {
  items: { id: string }[];
  nextCursor: string | null;
}

export async function measureExecutionsList(stage: Stage): Promise<Figure[]> {
  const { rows } = await stage.db.query<{ user_id: string; team_id: string }>(
    'select personal_user_id as user_id, id as team_id from teams limit 1',
  );
  await stage.db.query(FILL, [rows[0]!.user_id, rows[0]!.team_id]);
  for (const name of ['executions', 'runs']) await stage.db.query(`vacuum analyze ${name}`);

  const times: number[] = [];
  let seen = 0;
  let last = '~';
  let cursor: string | null = '';
  while (cursor !== null) {
    const before: string = cursor === '' ? '' : `&before=${cursor}`;
    const startedAt = performance.now();
    const path = `/v1/executions?limit=${PAGE}${before}`;
    const page = (await stage.call('GET', path)) as unknown as Page;
    times.push(performance.now() - startedAt);
    for (const { id } of page.items) {
      if (id >= last) throw new Error(`${id} comes after ${last}`);
      last = id;
      seen += 1;
    }
    cursor = page.nextCursor;
  }
  if (seen !== COUNT) throw new Error(`${seen} of ${COUNT} executions were listed`);
  const warm = times.slice(COMPARED);
  return [
    {
      id: 'list',
      what: `a page of ${PAGE} executions, the last ${COMPARED} pages of ${COUNT.toLocaleString('en-US')}`,
      value: median(times.slice(-COMPARED)),
      unit: 'ms',
      beside: { what: 'the first pages', value: median(warm.slice(0, COMPARED)) },
      goal: { ratioAtMost: 1.5 },
    },
  ];
}
