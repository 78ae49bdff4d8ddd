/** What a model needs to know to write a manifest; docs/manifests.md has the rest. */
export const MANIFEST_GUIDE = `A manifest is the file millrace.yaml in the root of the project:

\`\`\`yaml
feature: checkout
streams:
  schema:
    name: Tables of the shop
    owns: [db/schema.sql]
    plan: |
      Add tables for carts and orders.
  api:
    name: Routes of the shop
    deps: [schema]
    owns: [src/routes/]
    reads: [db/schema.sql]
    plan: |
      Add routes to read and change a cart.
    verify: [npm test]
\`\`\`

- A stream is one piece of work for a model that sees only the files of its stream. Its plan must say all that it needs.
- owns: what it writes (a file, a folder/ with everything in it, or a glob). Streams must not own the same files.
- reads: what it is shown and does not write; at most 4.
- deps: streams that must be complete before it starts. Streams without deps run in parallel: prefer those.
- verify: commands that must pass afterwards.
- Paths are relative to the root of the project.`;
