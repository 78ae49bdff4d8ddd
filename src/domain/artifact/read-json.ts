import type { Operation, TextEdit } from '../../contract/artifact.ts';
import { quote, type Problems } from './problems.ts';

// The JSON form, read by hand instead of by schema: models vary the names of fields, and a caller
// should see all problems of a block at once.

type Fields = Record<string, unknown>;

export interface JsonArtifact {
  status?: unknown;
  summary?: unknown;
  operations: Operation[];
}

export const MAX_OPERATIONS = 500;

export function readJsonArtifact(body: string, problems: Problems): JsonArtifact {
  try {
    return readJsonValue(JSON.parse(body), problems);
  } catch (error) {
    problems.add(`the artifact block is not valid JSON: ${printable(error)}`);
    return { operations: [] };
  }
}

/**
 * Looks at the levels that an artifact has and no deeper, and never makes text of a value again: parsing
 * takes any depth, but JSON.stringify overflows the stack at some thousand levels.
 */
export function readJsonValue(value: unknown, problems: Problems): JsonArtifact {
  if (!isFields(value)) {
    problems.add(`the artifact block must hold a JSON object, not ${quote(value)}`);
    return { operations: [] };
  }
  if (!Array.isArray(value['operations'])) {
    problems.add('operations must be a list');
    return { operations: [] };
  }
  const raw: unknown[] = value['operations'];
  if (raw.length > MAX_OPERATIONS) {
    problems.add(`there are ${raw.length} operations; at most ${MAX_OPERATIONS} are allowed`);
    return { operations: [] };
  }
  const operations = raw.flatMap((each, index) => {
    const read = readOperation(each, `operations[${index}]`, problems);
    return read === undefined ? [] : [read];
  });
  return { status: value['status'], summary: value['summary'], operations };
}

function readOperation(raw: unknown, at: string, problems: Problems): Operation | undefined {
  if (!isFields(raw)) return report(problems, `${at} must be an object, not ${quote(raw)}`);
  const { type, path, content } = raw;
  if (typeof path !== 'string') return report(problems, `${at}.path must be a text`);
  if (content !== undefined && content !== null && typeof content !== 'string') {
    return report(problems, `${at}.content must be a text`);
  }
  const base = readBase(raw['baseSha256'], at, problems);
  switch (type) {
    case 'create':
      if (typeof content === 'string') return { type, path, content };
      return report(problems, `${at} (create ${quote(path)}) has no content`);
    case 'delete':
      return { type, path, ...base };
    case 'edit':
    case 'replace': {
      const edits = readEdits(raw, at, problems);
      if (typeof content === 'string') {
        if (edits === undefined) return { type: 'edit', path, content, ...base };
        return report(problems, `${at} has both edits and content; give one of them`);
      }
      if (edits !== undefined) return { type: 'edit', path, edits, ...base };
      return report(problems, `${at} (edit ${quote(path)}) needs edits or content`);
    }
    default:
      return report(problems, `${at}.type must be create, edit or delete, not ${quote(type)}`);
  }
}

function readEdits(operation: Fields, at: string, problems: Problems): TextEdit[] | undefined {
  const raw = operation['edits'];
  // A single pair is often written straight into the operation.
  if (raw === undefined || raw === null) {
    return hasPair(operation) ? readEditList([operation], at, problems) : undefined;
  }
  if (!Array.isArray(raw)) return report(problems, `${at}.edits must be a list`) ?? [];
  return raw.length === 0 ? undefined : readEditList(raw, `${at}.edits`, problems);
}

function readEditList(raw: readonly unknown[], at: string, problems: Problems): TextEdit[] {
  const edits: TextEdit[] = [];
  for (const [index, each] of raw.entries()) {
    const fields = isFields(each) ? each : {};
    const oldText = fields['oldText'] ?? fields['search'] ?? fields['old_string'];
    const newText = fields['newText'] ?? fields['replace'] ?? fields['new_string'];
    const replaceAll = fields['replaceAll'] ?? fields['replace_all'] ?? false;
    if (typeof oldText !== 'string' || typeof newText !== 'string') {
      problems.add(`${at}[${index}] needs the texts oldText and newText`);
    } else if (typeof replaceAll !== 'boolean') {
      problems.add(`${at}[${index}].replaceAll must be true or false`);
    } else {
      edits.push({
        oldText,
        newText,
        ...(replaceAll && { replaceAll }),
        ...(fields['wholeLines'] === true && { wholeLines: true }),
      });
    }
  }
  return edits;
}

function hasPair(fields: Fields): boolean {
  return ['oldText', 'search', 'old_string'].some((name) => fields[name] !== undefined);
}

function readBase(raw: unknown, at: string, problems: Problems): { baseSha256?: string } {
  if (raw === undefined || raw === null) return {};
  if (typeof raw === 'string') return { baseSha256: raw.toLowerCase() };
  problems.add(`${at}.baseSha256 must be a text`);
  return {};
}

// The engine's message quotes the text, and with it whatever the model wrote: problems are stored
// and shown, where a NUL or half a character would do harm.
function printable(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .slice(0, 200)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function report(problems: Problems, problem: string): undefined {
  problems.add(problem);
  return undefined;
}
