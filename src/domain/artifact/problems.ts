const MAX_LISTED = 100;
const MAX_QUOTED = 80;

export interface Problems {
  add(problem: string): void;
  list(): string[];
}

/** Collects every problem, but lists a bounded number: a hostile block can hold a million. */
export function createProblems(): Problems {
  const listed: string[] = [];
  let left = 0;
  return {
    add(problem) {
      if (listed.length < MAX_LISTED) listed.push(problem);
      else left++;
    },
    list: () => (left === 0 ? listed : [...listed, `and ${left} more problems`]),
  };
}

/** A value as it may stand in a message: JSON, and never long. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, MAX_QUOTED + 1) : describe(value);
  const cut = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text;
  return typeof value === 'string' ? JSON.stringify(cut) : cut;
}

function describe(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  if (Array.isArray(value)) return 'a list';
  return value === undefined ? 'nothing' : 'an object';
}
