// The pages of the documentation, in the order in which one reads them. A page is docs/<name>.md. A file that is
// not in this table fails a test, and so does a page without a file.

export interface PageEntry {
  name: string;
  title: string;
  /** One line for lists of pages. */
  about: string;
}

export interface Section {
  title: string;
  pages: readonly PageEntry[];
}

/** The page that is made from the OpenAPI document. */
export const REFERENCE_PAGE = 'api';

function page(name: string, title: string, about: string): PageEntry {
  return { name, title, about };
}

export const CONTENTS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      page('quickstart', 'Quickstart', 'From a clone to your own manifest in five minutes.'),
      page('concepts', 'Concepts', 'Jobs, runs, streams, executions, teams, and how they fit.'),
      page('glossary', 'Glossary', 'One word for each thing.'),
    ],
  },
  {
    title: 'Use',
    pages: [
      page(
        'planning',
        'From words to a manifest',
        'Let a model plan a task, and rules check the plan.',
      ),
      page('manifests', 'Manifests', 'Describe a change as streams, check it and plan it.'),
      page('running', 'Running a manifest', 'Fixes, review, budgets, stopping and resuming.'),
      page('approvals', 'Approvals', 'What runs ask a person before they act.'),
      page('runners', 'Runners', 'Machines of yours that make the runs others ask for.'),
      page(
        'schedules',
        'Schedules and triggers',
        'Runs that start at certain times, or when something happens on GitHub or GitLab.',
      ),
      page('cli', 'Command line', 'Every command, its flags and exit codes.'),
      page('executions', 'Executions', 'Tasks in words that the server plans and runs.'),
      page('dashboard', 'Dashboard', 'Follow runs, read changes, share and compare.'),
      page('dashboard-pages', 'Dashboard pages', 'Executions, jobs, manifests, usage, system.'),
      page('assistants', 'AI assistants', 'Claude Code, Cursor, VS Code, Codex and others.'),
      page('api-guide', 'API and client', 'Keys, idempotency, waiting, streaming, pages, limits.'),
      page('providers', 'Models and keys', 'Providers, provider keys, prices and caching.'),
      page(
        'model-endpoint',
        'Model endpoint',
        "Vendors' own clients and agents, with your keys and limits.",
      ),
      page('usage', 'Usage and budgets', 'What a team used, and the most it may spend.'),
    ],
  },
  {
    title: 'Operate',
    pages: [
      page('self-hosting', 'Self-hosting', 'Install, systemd, reverse proxy, TLS, upgrades.'),
      page('config', 'Configuration', 'Every setting of the server.'),
      page('databases', 'Your own database', 'PostgreSQL of your own, and poolers.'),
      page('scaling', 'Scaling', 'More machines, restarts without downtime, capacity.'),
      page('backup', 'Backup and restore', 'What to save, and how to get it back.'),
      page('observability', 'Observability', 'Logs, metrics and traces.'),
      page('accounts', 'Accounts', 'Sign-in, sessions and API keys.'),
      page('teams', 'Teams', 'Roles, members and the audit log.'),
      page('single-sign-on', 'Single sign-on', 'Sign in with your OpenID Connect provider.'),
      page('billing', 'Plans and billing', 'Tiers, seats and payment with Stripe.'),
      page('webhooks', 'Webhooks', 'Send events to a URL of yours.'),
      page('security', 'Security', 'What is stored, how it is protected, what is up to you.'),
      page('agents', 'Agents', 'Programs that read, edit and test before they are done.'),
      page('branches', 'Branches', 'Work beside your files, one commit a stream.'),
      page('sandbox', 'Sandbox', 'Where processes can do no harm, and what that needs.'),
      page('simulator', 'Simulator', 'Models that need no key, and how to make them fail.'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page(REFERENCE_PAGE, 'API reference', 'Every operation with parameters, answers, examples.'),
      page('errors', 'Errors', 'Every error code, and what to do about it.'),
      page('run-events', 'Run events', 'What a run prints and reports, line by line.'),
      page('artifact-format', 'Artifact format', 'How a model hands in file changes.'),
      page('performance', 'Performance', 'Figures, and how they were measured.'),
    ],
  },
];
