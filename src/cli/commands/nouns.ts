// Commands with parts that take a while to load. A call loads those that it names: of the others it
// needs no more than a line for the list of commands.
import type { Command } from 'commander';
import type { Act } from '../command.ts';
import { addResource, type Resource } from '../resource.ts';

type Add = (program: Command, act: Act) => void;

const commandsOf =
  (resource: Resource): Add =>
  (program, act) =>
    addResource(resource, program, act);

export interface Noun {
  name: string;
  /** As the command itself says; a test compares the two. */
  summary: string;
  load(): Promise<Add>;
}

export const RUN_NOUNS: readonly Noun[] = [
  {
    name: 'pr',
    summary: 'open a pull request for the branch of a run, or bring it up to date',
    load: async () => (await import('./pr/flags.ts')).addPr,
  },
  {
    name: 'runner',
    summary: 'make the runs that others ask for, on this machine',
    load: async () => (await import('./runner/flags.ts')).addRunner,
  },
  {
    name: 'requests',
    summary: 'ask for runs that a runner makes, and follow them',
    load: async () => commandsOf((await import('./requests/requests.ts')).REQUESTS),
  },
];

export const JOB_NOUNS: readonly Noun[] = [
  {
    name: 'job',
    summary: 'run single prompts on the server, and list jobs',
    load: async () => (await import('./jobs/jobs.ts')).addJobs,
  },
  {
    name: 'exec',
    summary: 'let the server plan a task and run it',
    load: async () => (await import('./executions/exec.ts')).addExecutions,
  },
  {
    name: 'mcp',
    summary: 'use Millrace from your AI assistant',
    load: async () => (await import('./mcp/mcp.ts')).addMcp,
  },
  {
    name: 'approvals',
    summary: 'approve, deny or answer what runs ask',
    load: async () => commandsOf((await import('./approvals/approvals.ts')).APPROVALS),
  },
  {
    name: 'schedules',
    summary: 'run manifests and tasks at certain times',
    load: async () => commandsOf((await import('./schedules/schedules.ts')).SCHEDULES),
  },
  {
    name: 'triggers',
    summary: 'run manifests and tasks when something happens elsewhere',
    load: async () => commandsOf((await import('./triggers/triggers.ts')).TRIGGERS),
  },
  {
    name: 'history',
    summary: 'list your runs on the server, or show one',
    load: async () => (await import('./history/history.ts')).addHistory,
  },
  {
    name: 'usage',
    summary: 'show what your team used, its quota and budget',
    load: async () => (await import('./usage/usage.ts')).addUsage,
  },
  {
    name: 'models',
    summary: 'list known models with prices and limits',
    load: async () => (await import('./models/models.ts')).addModels,
  },
  {
    name: 'agents',
    summary: 'list agents that can work on streams, and see their work',
    load: async () => commandsOf((await import('./agents/agents.ts')).AGENTS),
  },
];

export const KEY_NOUNS: readonly Noun[] = [
  {
    name: 'keys',
    summary: 'manage your provider keys',
    load: async () => commandsOf((await import('./keys/keys.ts')).KEYS),
  },
  {
    name: 'api-keys',
    summary: 'manage your API keys',
    load: async () => commandsOf((await import('./api-keys/api-keys.ts')).API_KEYS),
  },
  {
    name: 'webhooks',
    summary: 'send execution events to a URL',
    load: async () => commandsOf((await import('./webhooks/webhooks.ts')).WEBHOOKS),
  },
  {
    name: 'billing',
    summary: "see and change your team's plan",
    load: async () => commandsOf((await import('./billing/billing.ts')).BILLING),
  },
];

export const ACCOUNT_NOUNS: readonly Noun[] = [
  {
    name: 'login',
    summary: 'sign in to a server with your browser',
    load: async () => (await import('./account/login.ts')).addLogin,
  },
  {
    name: 'logout',
    summary: 'sign out of a server',
    load: async () => (await import('./account/logout.ts')).addLogout,
  },
  {
    name: 'whoami',
    summary: 'show who you are on the server',
    load: async () => (await import('./account/whoami.ts')).addWhoami,
  },
  {
    name: 'account',
    summary: 'choose your mail, export your data, or delete your account',
    load: async () => (await import('./account/account.ts')).addAccount,
  },
  {
    name: 'team',
    summary: 'manage teams and their members',
    load: async () => commandsOf((await import('./team/team.ts')).TEAM),
  },
  {
    name: 'audit',
    summary: 'show who changed access, money or settings',
    load: async () => (await import('./audit/audit.ts')).addAudit,
  },
  {
    name: 'config',
    summary: 'show or change your settings',
    load: async () => (await import('./config/config.ts')).addConfig,
  },
];

export const SERVER_NOUNS: readonly Noun[] = [
  {
    name: 'serve',
    summary: 'run the server',
    load: async () => (await import('./server/serve.ts')).addServe,
  },
  {
    name: 'admin',
    summary: 'manage the accounts and teams of this server',
    load: async () => commandsOf((await import('./admin/admin.ts')).ADMIN),
  },
  {
    name: 'migrate',
    summary: 'bring the database to the schema of this version',
    load: async () => (await import('./server/migrate.ts')).addMigrate,
  },
  {
    name: 'backup',
    summary: 'back up the database of this server, while it runs',
    load: async () => (await import('./backup/backup.ts')).addBackup,
  },
  {
    name: 'restore',
    summary: 'restore a backup into the database of this server',
    load: async () => (await import('./backup/backup.ts')).addRestore,
  },
  {
    name: 'secrets',
    summary: 'manage the master keys of the server',
    load: async () => (await import('./server/secrets.ts')).addSecrets,
  },
  {
    name: 'doctor',
    summary: 'check whether Millrace can run here',
    load: async () => (await import('./server/doctor.ts')).addDoctor,
  },
  {
    name: 'support-bundle',
    summary: 'collect what helps to find a problem, without secrets',
    load: async () => (await import('./support/support-bundle.ts')).addSupportBundle,
  },
];

export const MORE_NOUNS: readonly Noun[] = [
  {
    name: 'api',
    summary: 'send a request to any route of the server',
    load: async () => (await import('./api/api.ts')).addApi,
  },
];

/** These show other commands. */
const NEED_ALL = ['help', 'completion'];

/** `argv`: undefined to load everything. */
export async function addNoun(
  noun: Noun,
  program: Command,
  act: Act,
  argv: readonly string[] | undefined,
): Promise<void> {
  const isNamed =
    argv === undefined || argv.includes(noun.name) || NEED_ALL.some((word) => argv.includes(word));
  if (isNamed) (await noun.load())(program, act);
  else program.command(noun.name).summary(noun.summary);
}
