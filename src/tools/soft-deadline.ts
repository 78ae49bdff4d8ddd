// How long a call may take before its client gives up on it. Most allow a minute; those listed allow
// more, as long as they ask for progress.
import type { ToolCall } from './call.ts';
import type { ToolDeps } from './deps.ts';

const USUAL_MS = 45_000;

const PATIENT_CLIENTS: Readonly<Record<string, number>> = {
  'claude-code': 240_000,
  opencode: 240_000,
  'codex-mcp-client': 280_000,
  'Visual Studio Code': 280_000,
};

export function softDeadlineOf(
  client: string | undefined,
  { hasProgress, setMs }: { hasProgress: boolean; setMs: number | undefined },
): number {
  if (setMs !== undefined) return setMs;
  const isPatient = hasProgress && client !== undefined && Object.hasOwn(PATIENT_CLIENTS, client);
  return isPatient ? PATIENT_CLIENTS[client]! : USUAL_MS;
}

export function deadlineOf({ clock, settings }: ToolDeps, call: ToolCall): number {
  const hasProgress = call.tellProgress !== undefined;
  const setMs = settings.softDeadlineMs;
  return clock.now() + softDeadlineOf(call.clientName, { hasProgress, setMs });
}
