// All pages of a list as one. Lists have a cursor (`nextCursor`, sent as `before`), or count (`offset` and `total`);
// a list that has neither is whole.
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { isJson, readJson } from './show-answer.ts';

interface Page {
  items?: unknown;
  nextCursor?: unknown;
  offset?: unknown;
  total?: unknown;
}

function withQuery(path: string, name: string, value: string): string {
  const [route = '', query] = path.split(/\?(.*)/s);
  const values = new URLSearchParams(query);
  values.set(name, value);
  return `${route}?${values.toString()}`;
}

function nextPath(path: string, { items, nextCursor, offset, total }: Page): string | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  if (typeof nextCursor === 'string') return withQuery(path, 'before', nextCursor);
  if (typeof offset !== 'number' || typeof total !== 'number') return undefined;
  const next = offset + items.length;
  return next < total ? withQuery(path, 'offset', String(next)) : undefined;
}

async function read(response: Response): Promise<unknown> {
  if (isJson(response)) return readJson(response);
  await response.body?.cancel();
  throw new CommandError({
    code: 'NOT_JSON',
    message: 'The answer is not JSON, so it has no pages.',
    hint: 'Run it again without --paginate.',
    exit: EXIT.failed,
  });
}

/** The last page with the items of all of them, so that it says itself that nothing follows. */
export async function allPages(
  first: string,
  get: (path: string) => Promise<Response>,
): Promise<unknown> {
  const items: unknown[] = [];
  let start: unknown;
  for (let path = first; ;) {
    const answer = await read(await get(path));
    const page = (typeof answer === 'object' ? (answer ?? {}) : {}) as Page;
    if (!Array.isArray(page.items)) return answer;
    start ??= page.offset;
    for (const item of page.items as unknown[]) items.push(item);
    const next = nextPath(path, page);
    // A server that names the same page again would be asked for ever.
    if (next === undefined || next === path) {
      return { ...page, ...(start === undefined ? {} : { offset: start }), items };
    }
    path = next;
  }
}
