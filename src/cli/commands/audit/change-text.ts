// An entry of the audit log in one line: what it is about, and what is different now.
import type { AuditEvent } from '../../../client/index.ts';

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.join(',');
  return value === undefined || value === null ? 'none' : JSON.stringify(value);
}

/** Of objects in objects, as `settings`, one line each. */
function flat(details: Record<string, unknown> | null, under = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(details ?? {})) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) found.set(under + name, valueText(value));
    else {
      const inner = flat(value as Record<string, unknown>, `${under}${name}.`);
      for (const [key, text] of inner) found.set(key, text);
    }
  }
  return found;
}

export function changeText({ target, before, after }: AuditEvent): string {
  const [was, is] = [flat(before), flat(after)];
  const changes = [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [old, now] = [was.get(name), is.get(name)];
    if (old === now) return [];
    if (before === null || old === undefined) return [`${name} ${now ?? 'none'}`];
    if (after === null) return [`${name} ${old}`];
    // What is only in `before` tells whom or what it is about, unless it was taken away.
    return [`${name} ${old} → ${now ?? 'none'}`];
  });
  return [...(target === null ? [] : [target]), ...changes].join('  ');
}
