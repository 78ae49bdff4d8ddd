import { rules } from './rules.ts';

export const OPERATING_RULES = [
  ...rules('decisions 1', 'operator-cli', {
    'names.product': 'The command is called millrace.',
    'config.prefix': 'Settings are environment variables that begin with MILLRACE_.',
    'config.database-url': 'DATABASE_URL is read as well.',
  }),
  ...rules('decisions 8', 'operator-cli', {
    'operator.api-keys.tier':
      'api-keys create --tier sets the tier of an account that it creates, never that of an existing one.',
  }),
  ...rules('decisions 13', 'operator-cli', {
    'config.listen': 'MILLRACE_HOST and MILLRACE_PORT (4747) say where the server listens.',
    'config.data-dir': 'MILLRACE_DATA_DIR says where the server keeps its files.',
    'config.health-port':
      'A worker without the API answers /healthz, /readyz and /metrics on MILLRACE_HEALTH_PORT, when it is set.',
    'config.database-silence':
      'MILLRACE_DATABASE_SILENCE_SECONDS says how long a worker may be silent before others run its jobs; requests are refused after about half of it.',
    'config.shutdown-delay':
      'A stopping server answers 503 on /readyz and serves requests for MILLRACE_SHUTDOWN_DELAY_SECONDS before it closes its listeners.',
    'config.role': 'MILLRACE_ROLE makes a node serve requests, run jobs, or both.',
    'config.flags-win': 'A flag wins over the environment, and that over the default.',
    'operator.exit.ok': 'A command that did its work exits with 0.',
    'operator.exit.usage': 'A command that was called wrongly exits with 2.',
    'operator.json': '--json prints one document on stdout, errors as {error} too.',
  }),
  ...rules('decisions 13', 'library', {
    'library.package': 'The package is called millrace, with a bin of that name.',
    'library.server': 'The entry millrace embeds a server.',
  }),
];

export const CLI_RULES = [
  ...rules('decisions 13', 'cli', {
    'cli.exit-codes':
      'Exit codes are 1 failed, 4 not authorised, 5 limits, 6 unreachable, 7 budget, 10 work to do, 124 time-out, 130 SIGINT and 143 SIGTERM.',
    'cli.json-lines':
      'run, watch and logs print JSON lines {v, seq, ts, type, ...} that end with the outcome and totals.',
    'cli.plan-json':
      'plan --json has manifest, notation, waves, streams, criticalPath, totals and warnings.',
    'cli.validate-json': 'validate --json has ok and problems with place; a cycle names its ids.',
    'cli.learn-json':
      'learn --json has added, dropped, cycles and broadReads; exit 2 while explicit cycles remain.',
    'cli.settings':
      'The client reads MILLRACE_URL, MILLRACE_API_KEY, MILLRACE_WORKSPACE and MILLRACE_APPLY.',
    'cli.precedence': 'Flags win over environment, project file, user file and defaults.',
  }),
];
