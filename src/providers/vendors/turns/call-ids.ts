// Ids and names of calls as every vendor takes them. A conversation may have begun with another provider, whose ids have
// other characters or begin anew with each answer; vendors want them to differ in the whole conversation.
import type { ToolCall } from '../../../contract/conversation-api.ts';

const TAKEN_BY_ALL = /^[A-Za-z0-9_-]{1,64}$/;

export interface CallIds {
  /** The ids of the calls of the next assistant message, in the order of its calls. */
  next(calls: readonly ToolCall[], isOwn: boolean): ReadonlyMap<string, string>;
}

/** The same beginning of a conversation always gets the same ids, or no cache would know it again. */
export function createCallIds(): CallIds {
  const used = new Set<string>();
  let count = 0;

  function free(id: string): string {
    if (TAKEN_BY_ALL.test(id) && !used.has(id)) return id;
    let made = `call_${count}`;
    while (used.has(made)) made += '_';
    return made;
  }

  return {
    next(calls, isOwn) {
      const ids = new Map<string, string>();
      for (const { id } of calls) {
        count += 1;
        // What the vendor wrote itself goes back as it is.
        const sent = isOwn ? id : free(id);
        used.add(sent);
        ids.set(id, sent);
      }
      return ids;
    },
  };
}

/** A model can call what it was not offered, by any name. */
export function callName({ name }: ToolCall): string {
  if (TAKEN_BY_ALL.test(name)) return name;
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

/** What is no JSON object goes out as one, so that the model sees what it wrote. */
export function callInput(call: ToolCall): Record<string, unknown> {
  return call.arguments ?? { INVALID_JSON: call.argumentsText ?? '' };
}
