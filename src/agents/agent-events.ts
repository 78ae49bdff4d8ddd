// What an agent is seen to do while it works. Only for those who look on: nothing is decided by it.

export interface AgentEvents {
  /** A model call of its own has ended. */
  turn(turn: { number: number; ok: boolean; durationMs: number; error?: string }): void;
  tool(tool: { name: string; argument: string; durationMs?: number }): void;
  refused(refused: { what: 'file' | 'host' | 'permission'; subject: string; why: string }): void;
  message(text: string): void;
}
