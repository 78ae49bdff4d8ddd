// How long a call may take before its client gives up on it. Most allow a minute; those listed allow
// more, some of them only as long as they ask for progress.
import type { ToolCall } from './call.ts';
import type { ToolDeps } from './deps.ts';

const USUAL_MS = 45_000;

interface Patience {
  mostMs: number;
  needsProgress: boolean;
}

const PATIENT_CLIENTS: Readonly<Record<string, Patience>> = {
  'claude-code': { mostMs: 240_000, needsProgress: true },
  opencode: { mostMs: 240_000, needsProgress: true },
  'codex-mcp-client': { mostMs: 280_000, needsProgress: true },
  'Visual Studio Code': { mostMs: 280_000, needsProgress: true },
  // Ten minutes unless its settings say otherwise.
  'gemini-cli-mcp-client': { mostMs: 280_000, needsProgress: false },
};

export function softDeadlineOf(
  client: string | undefined,
  { hasProgress, setMs }: { hasProgress: boolean; setMs: number | undefined },
): number {
  if (setMs !== undefined) return setMs;
  if (client === undefined || !Object.hasOwn(PATIENT_CLIENTS, client)) return USUAL_MS;
  const { mostMs, needsProgress } = PATIENT_CLIENTS[client]!;
  return hasProgress || !needsProgress ? mostMs : USUAL_MS;
}

export function deadlineOf({ clock, settings }: ToolDeps, call: ToolCall): number {
  const hasProgress = call.reportProgress !== undefined;
  const setMs = settings.softDeadlineMs;
  return clock.now() + softDeadlineOf(call.clientName, { hasProgress, setMs });
}
