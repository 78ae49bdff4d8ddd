// Which run is meant. Clients choose the ids of runs, and each team has ids of its own: a run is found by both.

export interface RunKey {
  teamId: string;
  runId: string;
}

/** Neither part can contain the separator. */
export function runKeyText({ teamId, runId }: RunKey): string {
  return `${teamId}/${runId}`;
}

/** Undefined for what is no key. */
export function parseRunKey(text: string): RunKey | undefined {
  const at = text.indexOf('/');
  return at < 0 ? undefined : { teamId: text.slice(0, at), runId: text.slice(at + 1) };
}
