// Reads the fields of a request as strictly as money needs it. Servers differ in what they take for the same name: some
// ignore case, some take underscores for capitals. A name that another server might read as one that counts here is
// refused unless it is spelled as documented.

export type Fields = Readonly<Record<string, unknown>>;

/** A body that cannot be passed on, in one sentence for the client. */
export class UnreadableCall extends Error {}

const normal = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '');

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface FieldReader {
  /** The value under any of its spellings; at most one of them may be there. */
  get(...spellings: string[]): unknown;
}

export function readFields(fields: Fields): FieldReader {
  const byName = new Map<string, string[]>();
  for (const name of Object.keys(fields)) {
    const known = byName.get(normal(name));
    if (known === undefined) byName.set(normal(name), [name]);
    else known.push(name);
  }
  return {
    get(...spellings) {
      const names = new Set(spellings.flatMap((spelling) => byName.get(normal(spelling)) ?? []));
      if (names.size === 0) return undefined;
      const [name, another] = [...names];
      if (another !== undefined) {
        throw new UnreadableCall(`Send "${name}" or "${another}", not both.`);
      }
      if (!spellings.includes(name!)) {
        throw new UnreadableCall(`Write "${spellings[0]}", not "${name}".`);
      }
      return fields[name!];
    },
  };
}

export const fieldsIn = (value: unknown): FieldReader => readFields(isFields(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A field that is there and says something. */
export const isSet = (value: unknown): boolean =>
  value != null && value !== false && !(Array.isArray(value) && value.length === 0);
