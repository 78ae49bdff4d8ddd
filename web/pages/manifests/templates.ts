// Manifests to start from.

export interface Template {
  id: string;
  label: string;
  text: string;
}

const FEATURE = `# Streams depend on each other; those that do not run side by side.
feature: Search for books
created: 2026-01-01T00:00:00Z
status: pending
streams:
  schema:
    name: What a book is
    owns: [src/book.ts]
    plan: Give a book a title, an author and a year.
  search:
    name: Finding books
    deps: [schema]
    owns: [src/search.ts]
    reads: [src/book.ts]
    plan: Find books whose title or author contains a text, whatever its case.
    verify:
      - npx tsc --noEmit
  tests:
    name: Tests
    deps: [search]
    owns: [test/]
    reads: [src/search.ts]
    plan: Test the search with no match, one match and several.
    verify:
      - npm test
`;

const WORKFLOW = `# Streams that need nothing of each other: all run at once.
name: housekeeping
version: 1.0.0
description: Small improvements of the whole project
streams:
  docs:
    description: The README says how to start
    plan: Bring the README up to date with the scripts of package.json.
    context:
      files: [README.md, package.json]
      depth: minimal
  errors:
    description: Errors say what to do
    plan: Make every error message say what happened and what to do about it.
    context:
      files: [src/]
      depth: moderate
    commands:
      - command: npm test
        critical: true
`;

const MIGRATION = `# One stream prepares, many follow side by side, one checks the whole.
feature: Move to the new client
created: 2026-01-01T00:00:00Z
status: pending
streams:
  adapter:
    name: An adapter with the old face
    owns: [src/adapter.ts]
    plan: Wrap the new client so that callers of the old one can move one by one.
  orders:
    name: Orders use the adapter
    deps: [adapter]
    owns: [src/orders/]
    reads: [src/adapter.ts]
    plan: Replace every use of the old client by the adapter.
  invoices:
    name: Invoices use the adapter
    deps: [adapter]
    owns: [src/invoices/]
    reads: [src/adapter.ts]
    plan: Replace every use of the old client by the adapter.
  clean-up:
    name: The old client goes
    deps: [orders, invoices]
    owns: [src/old-client.ts, package.json]
    plan: Delete the old client and its dependency.
    verify:
      - npm run build
      - npm test
`;

export const TEMPLATES: readonly Template[] = [
  { id: 'feature', label: 'A feature, step by step', text: FEATURE },
  { id: 'migration', label: 'A migration, side by side', text: MIGRATION },
  { id: 'workflow', label: 'Independent tasks', text: WORKFLOW },
];
