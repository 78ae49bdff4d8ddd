// What an agent reports of its session, as events.
import { z } from 'zod';
import type { AgentLog } from '../agent-log.ts';

const MOST_CALLS = 1000;

const Location = z.looseObject({ path: z.string() });
const Update = z.looseObject({ sessionUpdate: z.string() });
const Chunk = z.looseObject({
  content: z.looseObject({ type: z.literal('text'), text: z.string() }),
  messageId: z.string().nullish().catch(undefined),
});
const Call = z.looseObject({
  toolCallId: z.string(),
  title: z.string().nullish().catch(undefined),
  kind: z.string().nullish().catch(undefined),
  status: z.string().nullish().catch(undefined),
  locations: z.array(Location).nullish().catch(undefined),
});
const Plan = z.looseObject({
  entries: z.array(z.looseObject({ content: z.string(), status: z.string().catch('pending') })),
});

export interface KnownCall {
  kind: string;
  title: string;
  paths: readonly string[];
}

export interface SessionUpdates {
  receive(update: unknown): void;
  /** What was said of a call before. */
  call(id: string): KnownCall | undefined;
}

const MARKS: Readonly<Record<string, string>> = { completed: '[x]', in_progress: '[>]' };

export function createSessionUpdates(log: AgentLog, folder: string): SessionUpdates {
  const calls = new Map<string, KnownCall>();
  let lastPlan = '';

  function onCall(value: unknown): void {
    const parsed = Call.safeParse(value);
    if (!parsed.success) return;
    const { toolCallId: id, title, kind, status, locations } = parsed.data;
    const before = calls.get(id);
    if (before === undefined && calls.size >= MOST_CALLS) calls.delete(calls.keys().next().value!);
    const call = {
      kind: kind ?? before?.kind ?? 'other',
      title: title ?? before?.title ?? '',
      paths: locations?.map(({ path }) => path) ?? before?.paths ?? [],
    };
    calls.set(id, call);
    const shown = { name: call.kind, argument: argumentOf(call, folder) };
    if (status === 'completed' || status === 'failed') log.toolEnded(id, shown);
    else log.toolStarted(id, shown);
  }
  function onPlan(value: unknown): void {
    const entries = Plan.safeParse(value).data?.entries ?? [];
    const text = entries.map((each) => `${MARKS[each.status] ?? '[ ]'} ${each.content}`).join('\n');
    // Agents send the whole plan again and again.
    if (text === lastPlan || text === '') return;
    lastPlan = text;
    log.plan(text);
  }

  return {
    receive(value) {
      const kind = Update.safeParse(value).data?.sessionUpdate;
      if (kind === 'agent_message_chunk') {
        const chunk = Chunk.safeParse(value).data;
        if (chunk) log.piece(chunk.content.text, chunk.messageId ?? undefined);
      }
      if (kind === 'agent_thought_chunk') {
        const chunk = Chunk.safeParse(value).data;
        if (chunk) log.thoughtPiece(chunk.content.text);
      }
      if (kind === 'tool_call' || kind === 'tool_call_update') onCall(value);
      if (kind === 'plan') onPlan(value);
    },
    call: (id) => calls.get(id),
  };
}

function argumentOf({ title, paths }: KnownCall, folder: string): string {
  const within = (path: string) =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  const unsaid = paths.map(within).filter((path) => !title.includes(path));
  return [title, ...unsaid].filter((part) => part !== '').join(' ');
}
