import type { ToolDeps } from './deps.ts';

/** For the user to open; undefined where nobody knows the address of the dashboard. */
export async function dashboardPage(
  { dashboardUrl }: ToolDeps,
  path: string,
): Promise<string | undefined> {
  const base = await dashboardUrl?.();
  return base === undefined ? undefined : base.replace(/(?<!\/)\/+$/, '') + path;
}
