// Generators of clients take a field with a default for one that is always there, which is true of what a server
// answers and not of what it is sent. In requests the default is therefore said in words.

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const COMPONENT = '#/components/schemas/';

/** Names of the schemas that a part of the document refers to, and of those that they refer to. */
function schemasIn(part: unknown, schemas: Node, found = new Set<string>()): Set<string> {
  if (!isNode(part)) return found;
  const { $ref: ref } = part;
  if (typeof ref === 'string' && ref.startsWith(COMPONENT)) {
    const name = ref.slice(COMPONENT.length);
    if (!found.has(name)) schemasIn(schemas[name], schemas, found.add(name));
  }
  for (const inner of Object.values(part)) schemasIn(inner, schemas, found);
  return found;
}

function sayDefaults(schema: unknown): void {
  if (!isNode(schema)) return;
  const { properties } = schema;
  for (const property of Object.values(isNode(properties) ? properties : {})) {
    if (!isNode(property) || property['default'] === undefined) continue;
    const { default: value, description } = property;
    const said = `Default: ${JSON.stringify(value)}`;
    property['description'] = typeof description === 'string' ? `${description}. ${said}` : said;
    delete property['default'];
  }
  for (const inner of Object.values(schema)) sayDefaults(inner);
}

/** Changes the document in place. */
export function sayRequestDefaults(document: object): void {
  const { paths, components } = document as { paths?: Node; components?: { schemas?: Node } };
  const schemas = components?.schemas ?? {};
  const operations = Object.values(paths ?? {}).flatMap((path) => Object.values(path as Node));
  const answers = schemasIn(
    operations.map((operation) => (operation as Node)['responses']),
    schemas,
  );
  for (const operation of operations) {
    const { requestBody } = operation as Node;
    sayDefaults(requestBody);
    for (const name of schemasIn(requestBody, schemas)) {
      if (!answers.has(name)) sayDefaults(schemas[name]);
    }
  }
}
