// The order that the messages of a conversation have to be in: every provider refuses others, each in words of its own and
// only when the job runs.
import type { Message, ToolSpec } from './conversation-api.ts';

export interface ConversationProblem {
  path: (string | number)[];
  message: string;
}

/** Calls of the last assistant message that have no answer yet. */
interface OpenCalls {
  of: number;
  ids: Set<string>;
  answered: Set<string>;
}

const NO_CALLS: OpenCalls = { of: -1, ids: new Set(), answered: new Set() };

const quoted = (ids: Iterable<string>): string => {
  const [first = '', ...others] = ids;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `"${first.slice(0, 80)}"${more}`;
};

const unanswered = ({ of, ids }: OpenCalls) =>
  `messages.${of} calls ${quoted(ids)} without an answer; add a tool message for each call`;

function problemOfAnswer(callId: string, open: OpenCalls): string | undefined {
  if (open.ids.has(callId)) return undefined;
  if (open.answered.has(callId)) return 'answers a call that has been answered already';
  return 'must be the id of a call of the assistant message before it';
}

function problemsOfOrder(messages: readonly Message[]): ConversationProblem[] {
  const problems: ConversationProblem[] = [];
  const add = (message: string, ...path: (string | number)[]) =>
    problems.push({ path: ['messages', ...path], message });
  const first = messages[0]?.role === 'system' ? 1 : 0;
  if (messages[first]?.role !== 'user') {
    add('must begin with a user message, after a system message if there is one');
  }
  let open = NO_CALLS;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const problem = problemOfAnswer(message.callId, open);
      if (problem !== undefined) add(problem, index, 'callId');
      open.ids.delete(message.callId);
      open.answered.add(message.callId);
      continue;
    }
    if (message.role === 'system' && index > 0)
      add('can be system in the first message only', index, 'role');
    if (open.ids.size > 0) add(`comes too early: ${unanswered(open)}`, index);
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const ids = new Set<string>();
    for (const [at, { id, arguments: given, argumentsText }] of calls.entries()) {
      if (ids.has(id))
        add('is the id of another call of this message', index, 'toolCalls', at, 'id');
      ids.add(id);
      if (given === null && argumentsText === undefined) {
        add('is required if arguments is null', index, 'toolCalls', at, 'argumentsText');
      }
    }
    open = { of: index, ids, answered: new Set() };
  }
  const last = messages.at(-1);
  if (last?.role === 'assistant' || last?.role === 'system')
    add('must end with a user or tool message');
  else if (open.ids.size > 0) add(`must end with an answer to every call: ${unanswered(open)}`);
  return problems;
}

function problemsOfTools(tools: readonly ToolSpec[]): ConversationProblem[] {
  const names = new Set<string>();
  return tools.flatMap(({ name }, index) => {
    if (names.has(name)) {
      return [{ path: ['tools', index, 'name'], message: 'is the name of another tool' }];
    }
    names.add(name);
    return [];
  });
}

/** What is wrong beyond the shape of each part. */
export function conversationProblems(asked: {
  messages?: readonly Message[] | undefined;
  tools?: readonly ToolSpec[] | undefined;
}): ConversationProblem[] {
  const { messages = [], tools } = asked;
  const problems = problemsOfTools(tools ?? []);
  if (asked.messages !== undefined) problems.push(...problemsOfOrder(messages));
  const hasCalls = messages.some((one) => one.role === 'assistant' && one.toolCalls?.length);
  if (hasCalls && tools === undefined) {
    const message =
      'is required, because the messages have tool calls; send the same tools in every turn';
    problems.push({ path: ['tools'], message });
  }
  return problems;
}
