// What an agent reports while it works, in whatever format, as events: pieces of a message make one message, the start
// and the end of a tool make one entry. All that is kept is bounded, however much an agent reports.
import { addUse } from './add-use.ts';
import type { AgentEnd, AgentUse } from './agent-run.ts';
import type { AgentEvents } from './agent-events.ts';

const MOST_TEXT = 64 * 1024;
const MOST_TOOLS = 500;

interface Tool {
  name: string;
  argument: string;
  at: number;
}

export interface AgentLog {
  /** A piece of a message; `part` names the message where the agent does. */
  piece(text: string, part?: string): void;
  message(text: string): void;
  /** What it thinks, as a whole or in pieces: shown, and not its last words. */
  thought(text: string): void;
  thoughtPiece(text: string): void;
  /** What it means to do: shown, and not its last words. */
  plan(text: string): void;
  toolStarted(id: string, tool: { name: string; argument: string }): void;
  /** Of a tool that was never started: an entry of its own, when it has a name. */
  toolEnded(
    id: string,
    about?: { name?: string; argument?: string; durationMs?: number | undefined },
  ): void;
  permissionRefused(subject: string, why: string): void;
  /** Why it could not do its work. */
  failed(error: string): void;
  /** What it says of itself at the end, where that is not its last message. */
  result(text: string): void;
  /** What it calls its session, where a later task can continue it. */
  session(id: string): void;
  /** Added to what it said before. */
  used(use: AgentUse): void;
  end(): AgentEnd;
}

export function createAgentLog(events: AgentEvents): AgentLog {
  const tools = new Map<string, Tool>();
  let open = { part: undefined as string | undefined, text: '' };
  let openThought = '';
  let last: string | undefined;
  let error: string | undefined;
  let used: AgentUse | undefined;
  let session: string | undefined;

  function say(text: string): void {
    if (text.trim() === '') return;
    last = text.slice(-MOST_TEXT);
    events.message(text.trim());
  }
  function closeThought(): void {
    const text = openThought.trim();
    openThought = '';
    if (text !== '') events.thought(text);
  }
  function closeMessage(): void {
    closeThought();
    const { text } = open;
    open = { part: undefined, text: '' };
    say(text);
  }

  return {
    piece(text, part) {
      closeThought();
      if (part !== open.part && open.text !== '') closeMessage();
      open = { part, text: (open.text + text).slice(-MOST_TEXT) };
    },
    message(text) {
      closeMessage();
      say(text);
    },
    thought(text) {
      closeMessage();
      openThought = text.slice(-MOST_TEXT);
      closeThought();
    },
    thoughtPiece(text) {
      if (open.text !== '') closeMessage();
      openThought = (openThought + text).slice(-MOST_TEXT);
    },
    plan(text) {
      closeMessage();
      events.message(text);
    },
    toolStarted(id, tool) {
      closeMessage();
      const before = tools.get(id);
      if (before === undefined && tools.size >= MOST_TOOLS) return;
      tools.set(id, { ...tool, at: before?.at ?? performance.now() });
    },
    toolEnded(id, about = {}) {
      closeMessage();
      const tool = tools.get(id);
      tools.delete(id);
      const name = about.name ?? tool?.name;
      if (name === undefined) return;
      const measured = tool && Math.round(performance.now() - tool.at);
      const durationMs = about.durationMs ?? measured;
      const argument = about.argument ?? tool?.argument ?? '';
      events.tool({ name, argument, ...(durationMs !== undefined && { durationMs }) });
    },
    permissionRefused(subject, why) {
      events.refused({ what: 'permission', subject, why });
    },
    failed(text) {
      error ??= text.slice(0, MOST_TEXT);
    },
    result(text) {
      closeMessage();
      if (text.trim() !== '') last = text.slice(-MOST_TEXT);
    },
    session(id) {
      session = id;
    },
    used(use) {
      used = addUse(used, use);
    },
    end() {
      closeMessage();
      // Started, and cut off before they ended.
      for (const { name, argument } of tools.values()) events.tool({ name, argument });
      tools.clear();
      return {
        lastWords: last,
        ...(error !== undefined && { error }),
        ...(used && { used }),
        ...(session !== undefined && { session: { id: session } }),
      };
    },
  };
}
