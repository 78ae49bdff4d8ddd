// An entry of the audit log in one line: what is different now, and of what.
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

/** Who or what it is about: in `before` alone where the change is about something else. */
const NAMES = ['email', 'name'];

function changesOf({ before, after }: AuditEvent): string[] {
  const [was, is] = [flat(before), flat(after)];
  const fields = new Set([...NAMES, ...was.keys(), ...is.keys()]);
  return [...fields].flatMap((field) => {
    const [old, now] = [was.get(field), is.get(field)];
    if (old === now) return [];
    if (old === undefined) return [`${field} ${now}`];
    if (after === null || (now === undefined && NAMES.includes(field))) return [`${field} ${old}`];
    return [`${field} ${old} → ${now ?? 'none'}`];
  });
}

/** The id last: it is what a narrow terminal can do without. */
export function changeText(event: AuditEvent, shortId: (id: string) => string): string {
  const target = event.target === null ? [] : [shortId(event.target)];
  return [...changesOf(event), ...target].join(', ');
}
