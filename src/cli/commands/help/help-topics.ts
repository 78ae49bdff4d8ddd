// What `millrace help <topic>` says.
import { EXIT, EXIT_MEANINGS } from '../../exit-codes.ts';

const ENVIRONMENT = `Settings of the commands that talk to a server

  MILLRACE_URL         address of the server (default http://127.0.0.1:4747)
  MILLRACE_API_KEY     your key
  MILLRACE_PROFILE     profile of your own settings file
  MILLRACE_WORKSPACE   root folder of the project (default: the working folder)
  MILLRACE_APPLY       what happens to finished work: ask, auto or never
  MILLRACE_CONFIG_DIR  your settings folder
                       (default $XDG_CONFIG_HOME/millrace or ~/.config/millrace)
  MILLRACE_NO_INPUT    never ask anything, as --no-input
  NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE   colours: never, or always

A flag wins over the environment, that over the project's file
.millrace/config.yaml (searched from the working folder upwards), that over
config.yaml in your settings folder, and that over the default. Keys are
never in the project's file; credentials.json in your settings folder may hold
them, readable by you alone (chmod 600).

Settings of the server: docs/config.md. More about all of this: docs/cli.md.`;

const FORMATTING = `Results go to standard output, everything else to standard error.

--json      one JSON document on standard output. Errors, too:
            {"error":{"code","message","hint"}}
--quiet     results and errors only
--progress  auto, tty (redrawn in place), plain (a line for each change),
            json (a JSON line for each change) or quiet
--no-color  no colours. Without it there are colours on a terminal only;
            NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE are obeyed.

Fields and kinds of events may be added: ignore what you do not know.`;

const MANIFEST = `A manifest names streams of work in YAML. With dependencies between them:

  feature: checkout
  streams:
    schema:
      name: Tables of the shop
      owns: [db/schema.sql]         # files it writes: file, folder/ or glob
      plan: |
        Add tables for carts and orders.
      verify: [npm test]            # commands that must pass afterwards
    api:
      name: Routes of the shop
      deps: [schema]                # runs after these
      owns: [src/routes/]
      reads: [db/schema.sql]        # files it is shown

Streams run as soon as those they depend on are complete. Two that own the
same file never run at the same time: the later one in the file waits.

The other notation, for work without dependencies, has name, version,
description and streams with description and plan.

Start with "millrace init", check with "millrace validate", look at the order
and the cost with "millrace plan". All fields: docs/manifests.md.`;

function exitCodes(): string {
  const rows = Object.entries(EXIT).map(
    ([name, code]) => `  ${String(code).padStart(3)}  ${EXIT_MEANINGS[name as keyof typeof EXIT]}`,
  );
  return `Exit codes\n\n${rows.join('\n')}`;
}

export const HELP_TOPICS: ReadonlyMap<string, () => string> = new Map([
  ['environment', () => ENVIRONMENT],
  ['exit-codes', exitCodes],
  ['formatting', () => FORMATTING],
  ['manifest', () => MANIFEST],
]);
