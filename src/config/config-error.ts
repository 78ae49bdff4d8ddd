// Settings that cannot be used: of the server, or of a command.
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly hint = 'See docs/config.md for every setting.';
  readonly exit = 'usage';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
