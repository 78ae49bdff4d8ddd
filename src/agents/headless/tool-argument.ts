// What a tool was used on, in one line: the part of its input that says most.

const TELLING = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'pattern',
  'query',
  'url',
  'description',
];
const MOST = 1000;

export function toolArgument(input: unknown): string {
  if (typeof input !== 'object' || input === null) return typeof input === 'string' ? input : '';
  const fields = input as Record<string, unknown>;
  for (const name of TELLING) {
    const value = fields[name];
    if (typeof value === 'string') return value.slice(0, MOST);
    if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
      return value.join(' ').slice(0, MOST);
  }
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(input).slice(0, MOST);
}
