// MILLRACE_ALLOW: files that look like secrets, and that an assistant may see nevertheless.

/** Paths and patterns, as the user wrote them. */
export function allowedEntries(env: NodeJS.ProcessEnv): string[] {
  const entries = (env['MILLRACE_ALLOW'] ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}
