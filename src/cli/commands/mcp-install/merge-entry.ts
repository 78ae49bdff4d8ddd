// An entry that is installed again keeps what the host, or the user, has stored in it: which tools are approved,
// whether it is switched on, further variables. What an installation writes is written anew.
import { VARIABLES } from './given-settings.ts';
import type { Entry } from './edit/config-edit.ts';

/** Written by an installation, local or remote: one of the other kind does not stay behind. */
const OURS = new Set([
  'type',
  'command',
  'args',
  'env',
  'environment',
  'env_vars',
  'url',
  'httpUrl',
  'headers',
  'http_headers',
  'bearer_token_env_var',
  'oauth',
  'timeout',
  'startup_timeout_sec',
  'tool_timeout_sec',
  'required',
]);
/** Written at first, and the host's from then on. */
const THEIRS = new Set(['enabled', 'tools']);
const OUR_VARIABLES = new Set<string>([...Object.values(VARIABLES), 'MILLRACE_API_KEY']);

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const pick = (values: Entry, isPicked: (name: string) => boolean): Entry =>
  Object.fromEntries(Object.entries(values).filter(([name]) => isPicked(name)));

/** `before` is what the file has; undefined when it has none. */
export function mergeEntry(before: unknown, entry: Entry): Entry {
  if (!isObject(before)) return entry;
  const merged: Record<string, unknown> = {
    ...entry,
    ...pick(before, (name) => THEIRS.has(name) || !(OURS.has(name) || name in entry)),
  };
  // A remote entry starts no process, so there is nothing that could have variables.
  if (!('command' in entry)) return merged;
  for (const name of ['env', 'environment']) {
    const variables = before[name];
    if (!isObject(variables)) continue;
    const further = pick(variables, (variable) => !OUR_VARIABLES.has(variable));
    if (Object.keys(further).length === 0) continue;
    const written = entry[name];
    merged[name] = { ...(isObject(written) ? written : {}), ...further };
  }
  return merged;
}
