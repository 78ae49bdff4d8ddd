// Reading an OpenAPI document as plain JSON: every look is tolerant, because a page with a hole in
// it is worth more than no page.

export type Json = Record<string, unknown>;

export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isEmpty(value: Json): boolean {
  return Object.keys(value).length === 0;
}

export interface Resolved {
  node: Json;
  /** The pointers followed to get here; a pointer that comes twice on one way down is a cycle. */
  refs: readonly string[];
}

function lookUp(document: Json, pointer: string): unknown {
  if (!pointer.startsWith('#/')) return undefined;
  const steps = pointer.slice(2).split('/');
  return steps.reduce<unknown>((node, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return Object.hasOwn(record(node), key) ? record(node)[key] : undefined;
  }, document);
}

/** Follows $ref until there is none; what stands beside a $ref (a description) wins. */
export function resolve(document: Json, value: unknown): Resolved {
  let node = record(value);
  const refs: string[] = [];
  while (typeof node['$ref'] === 'string' && !refs.includes(node['$ref'])) {
    const { $ref: pointer, ...beside } = node;
    refs.push(pointer);
    node = { ...record(lookUp(document, pointer)), ...beside };
  }
  const { $ref: _cycle, ...rest } = node;
  return { node: rest, refs };
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;

export interface Operation {
  /** Unique on the page. */
  anchor: string;
  method: string;
  path: string;
  summary: string;
  node: Json;
  parameters: Json[];
}

export interface OperationGroup {
  name: string;
  description: string;
  anchor: string;
  operations: Operation[];
}

export function slug(value: string): string {
  return value
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function parametersOf(document: Json, pathItem: Json, operation: Json): Json[] {
  const all = [...list(pathItem['parameters']), ...list(operation['parameters'])];
  const byName = all.map((value) => resolve(document, value).node);
  // A parameter of the operation replaces the one of the whole path.
  return [
    ...new Map(byName.map((node) => [`${text(node['in'])} ${text(node['name'])}`, node])).values(),
  ];
}

/** All operations under their first tag: tags in the order of the document, then by appearance. */
export function operationGroups(document: Json): OperationGroup[] {
  const groups = new Map<string, OperationGroup>();
  const group = (name: string, description: string): OperationGroup => {
    const known = groups.get(name);
    if (known) return known;
    const made = { name, description, anchor: `tag-${slug(name) || groups.size}`, operations: [] };
    groups.set(name, made);
    return made;
  };
  for (const tag of list(document['tags']).map(record)) {
    group(text(tag['name']), text(tag['description']));
  }
  const anchors = new Map<string, number>();
  for (const [path, value] of Object.entries(record(document['paths']))) {
    const pathItem = resolve(document, value).node;
    for (const method of METHODS) {
      if (pathItem[method] === undefined) continue;
      const node = record(pathItem[method]);
      const base = slug(text(node['operationId'])) || slug(`${method} ${path}`);
      const count = anchors.get(base) ?? 0;
      anchors.set(base, count + 1);
      group(text(list(node['tags'])[0]) || 'Other', '').operations.push({
        anchor: `op-${base}${count === 0 ? '' : `-${count + 1}`}`,
        method,
        path,
        summary: text(node['summary']) || `${method.toUpperCase()} ${path}`,
        node,
        parameters: parametersOf(document, pathItem, node),
      });
    }
  }
  return [...groups.values()].filter(({ operations }) => operations.length > 0);
}
