import type { Queryable } from '../postgres/db.ts';
import { fromJsonText } from '../postgres/json-text.ts';

const PARTS = ['systemContent', 'projectContext', 'streamContext', 'taskContent'] as const;

/** What the model is asked, in the parts that it was sent in. */
export async function findJobPrompt(
  db: Queryable,
  jobId: string,
): Promise<{ name: string; text: string }[] | undefined> {
  const { rows } = await db.query<{ prompt: string; prompt_parts: string | null }>(
    'select prompt, prompt_parts from jobs where id = $1',
    [jobId],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  if (row.prompt_parts === null) return [{ name: 'prompt', text: fromJsonText(row.prompt) }];
  const texts = JSON.parse(row.prompt_parts) as Partial<Record<string, string>>;
  return PARTS.flatMap((name) => (texts[name] ? [{ name, text: texts[name] }] : []));
}
