// What `millrace help <topic>` says.
import type { Command } from 'commander';
import { EXIT, EXIT_MEANINGS } from '../../exit-codes.ts';

const ENVIRONMENT = `Settings of commands that talk to a server

  MILLRACE_URL         address of the server (default http://127.0.0.1:4747)
  MILLRACE_API_KEY     your key
  MILLRACE_TEAM        the team to act in (default: your personal one)
  MILLRACE_PROFILE     profile of your own settings file
  MILLRACE_WORKSPACE   the project folder (default: the current folder)
  MILLRACE_APPLY       finished work: ask, auto or never
  MILLRACE_CONFIG_DIR  your settings folder
                       (default $XDG_CONFIG_HOME/millrace or ~/.config/millrace)
  MILLRACE_NO_INPUT    never ask questions, like --no-input
  NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE   colors: never, or always

The first place that has a setting wins: flags, the environment, the project's
.millrace/config.yaml (searched from the current folder upwards), config.yaml
in your settings folder, the default. "millrace config" shows and changes them.

"millrace login" signs you in. A key of your own goes into credentials.json in
your settings folder, with chmod 600, and never into the project's file:

  { "profiles": { "default": { "apiKey": "mill_sk_..." } } }

Settings of the server: docs/config.md. More: docs/cli.md.`;

const FORMATTING = `Results go to standard output, everything else to standard error.

--json      one JSON document on standard output. Errors, too:
            {"error":{"code","message","hint"}}
--quiet     results and errors only
--progress  auto, tty (redrawn in place), plain (a line for each change),
            json (a JSON line for each change) or quiet
--no-color  no colors. Without it there are colors on a terminal only;
            NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE are respected.

Fields and event types may be added: ignore what you do not know.`;

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
      reads: [db/schema.sql]        # files it sees

A stream starts when those it depends on are complete. Two that own the same
file never run at the same time: the later one in the manifest waits.

The other notation, for work without dependencies, has name, version,
description and streams with description and plan.

Start with "millrace init", check with "millrace validate", see order and cost
with "millrace plan". All fields: docs/manifests.md.`;

function exitCodes(): string {
  const rows = Object.entries(EXIT).map(
    ([name, code]) => `  ${String(code).padStart(3)}  ${EXIT_MEANINGS[name as keyof typeof EXIT]}`,
  );
  return `Exit codes\n\n${rows.join('\n')}`;
}

const WIDTH = 80;

/** From the program itself: the one place where these are listed. */
function options(program: Command): string {
  const help = program.createHelp();
  help.prepareContext({ helpWidth: WIDTH });
  const shown = help.visibleOptions(program);
  const width = help.longestOptionTermLength(program, help);
  const rows = shown.map((option) =>
    help.formatItem(help.optionTerm(option), width, help.optionDescription(option), help),
  );
  return `Options of every command, before or after its name\n\n${rows.join('\n')}`;
}

export const HELP_TOPICS: ReadonlyMap<string, (program: Command) => string> = new Map([
  ['options', options],
  ['environment', () => ENVIRONMENT],
  ['exit-codes', exitCodes],
  ['formatting', () => FORMATTING],
  ['manifest', () => MANIFEST],
]);
