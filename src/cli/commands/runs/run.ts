// millrace run
import {
  checkUnlocked,
  checkWritable,
  commandsOf,
  findLastRun,
  hasWork,
  isOpen,
  selected,
  withKnownState,
} from '../../../orchestrator/index.ts';
import type { RunsOfManifest } from '../../../orchestrator/index.ts';
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import type { Manifest } from '../../../manifest/model.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { placeWords } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { changedFiles } from '../manifests/changed-files.ts';
import { loadPlan } from '../manifests/load.ts';
import { DEFAULT_MANIFEST, STDIN, readSource, targetOf } from '../manifests/source.ts';
import { findMissingPrograms, mayInstall } from '../manifests/missing-programs.ts';
import { modelPricesOf } from '../manifests/model-prices.ts';
import { willRun } from '../manifests/plan-document.ts';
import { checkTiers } from '../manifests/check-tiers.ts';
import { showWarnings } from '../manifests/show-warnings.ts';
import { plain } from '../../terminal/plain-text.ts';
import { checkModels } from './check-models.ts';
import {
  agentsOfRun,
  checkAgentModels,
  hostsOfAgents,
  namedAgents,
  versionWarnings,
} from './agents-of-run.ts';
import { hostsOfCommands, openableSandbox, wantsSandbox } from './command-sandbox.ts';
import { detach } from './detach.ts';
import { asChosen, showDryRun } from './dry-run.ts';
import { startRun } from './start-run.ts';
import { noteSmallBudget, worstCasesOf } from './worst-cases.ts';
import { baseOf, branchOf, gitWorkOf, originOf, programsFor } from './git-work.ts';
import { checkLogins, loginsOf } from './own-logins.ts';
import { findProject } from './project.ts';
import { reviewsInBrowser } from './review-in-flag.ts';
import { applyModeOf, keptFlags, runFlagsOf, selectionOf } from './run-flags.ts';
import { commandsHint, placeOfAgents } from './without-sandbox.ts';
import { ensureTrusted } from './trust-commands.ts';

/** A run that was cut off has something left to do, whatever the manifest says. */
async function findLeftOpen(stateDir: string, runs: RunsOfManifest) {
  const last = await findLastRun(stateDir, runs);
  return last !== undefined && isOpen(last) ? last.record : undefined;
}

/** Refuses a run whose checks cannot start, unless a setup may install what they need. */
async function checkPrograms(manifest: Manifest, root: string): Promise<void> {
  const ids = [...manifest.streams.values()]
    .filter((stream) => willRun(manifest, stream))
    .map(({ id }) => id);
  const missing = await findMissingPrograms(manifest, ids, { root, env: process.env });
  const [first] = missing;
  if (first === undefined) return;
  if (mayInstall(manifest)) return showWarnings(missing);
  const message = missing.map((problem) => plain(problem.message)).join('\n');
  throw new CommandError({ code: first.code, message, hint: plain(first.hint) });
}

export async function run(options: CommandOptions, args: string[]): Promise<number> {
  const file = args[0] ?? DEFAULT_MANIFEST;
  if (file === STDIN) {
    throw new CommandError({
      code: 'USAGE',
      message:
        'A run writes its progress into the manifest, so it cannot read it from standard input.',
      hint: 'Name a file.',
    });
  }
  const flags = runFlagsOf(options);
  const { root, stateDir, settings } = await findProject(options);
  const source = await readSource(file, 'run');
  const loaded = loadPlan(source, options);
  if (loaded === undefined) return EXIT.usage;
  const { order } = loaded;
  const manifestFile = await targetOf(file);
  const nameInProject = relative(root, manifestFile);
  const { git: flag } = flags;
  const branch = await branchOf(
    { root, stateDir },
    { flag, file: nameInProject, manifest: loaded.manifest, base: baseOf(options) },
  );
  const runs = { file: nameInProject, origin: originOf(branch) };
  const manifest = await withKnownState(stateDir, runs, loaded.manifest);
  const selection = selectionOf(manifest, options);
  const prices = modelPricesOf(process.env);
  const fallbackModel =
    settings.model?.value ?? (process.env['MILLRACE_DEFAULT_MODEL'] || undefined);
  const leftOpen = await findLeftOpen(stateDir, runs);
  const hadOne = leftOpen?.isSandboxed === true;
  const ids = selected(order, selection) ?? manifest.streams.keys();
  const chosen = [...ids].filter((id) => !selection.skip.includes(id));
  const named = namedAgents(manifest, chosen, flags.agent);
  const realRoot = realpathSync.native(root);
  const found = await agentsOfRun(named, settings.agents, realRoot);
  const hasAgents = found !== undefined && !settings.agents.onHost.has(realRoot);
  const sandboxCommands = wantsSandbox({ options, settings, hasAgents, hadOne });
  if (flags.isDry) {
    const { model, agent, serviceTier, concurrency, maxAttempts, instructions } = flags;
    const defaultModel = fallbackModel;
    const choices = {
      model,
      agent,
      agentMaxCostUsd: settings.agents.maxCostUsd,
      ownLogins: settings.agents.ownLogins,
      maxCostUsd: flags.maxCostUsd,
      serviceTier,
      defaultModel,
      concurrency,
      maxAttempts,
      instructions,
      sandboxCommands,
    };
    const agentCommands = settings.agents.commandsOf.get(realRoot) ?? [];
    const place = { file, root, stateDir };
    const dry = { ...place, manifest, order, selection, choices, prices, agentCommands };
    await showDryRun(dry, options);
    return EXIT.ok;
  }
  const { maxCostUsd } = flags;
  const { model, reasoning, serviceTier, agent } = flags;
  const { maxCostUsd: agentMaxCostUsd, ownLogins } = settings.agents;
  const ofAgents = { agentMaxCostUsd, ownLogins };
  const defaults = { model, reasoning, serviceTier, agent, fallbackModel, ...ofAgents };
  showWarnings(checkTiers(manifest, chosen, defaults));
  const unrouted = checkModels(manifest, chosen, defaults, {
    maxCostUsd,
    maxAttempts: flags.maxAttempts,
    prices,
  });
  checkAgentModels(manifest, named, defaults);
  checkLogins(manifest, named, settings.agents, maxCostUsd);
  showWarnings(versionWarnings(found));
  const apply = applyModeOf(options, settings);
  checkUnlocked(stateDir);
  checkWritable({ root, stateDir });
  const programs = await programsFor(root, flag);
  const hosts = hostsOfCommands(manifest, sandboxCommands);
  const hint = commandsHint({ root: realRoot, file: settings.agents.file });
  const needsSandbox = hosts && commandsOf(manifest).length > 0 ? { hint } : undefined;
  const place = found && (await placeOfAgents(found, { named, needsSandbox }, options));
  const agents = found && place && { ...found, place };
  const sandbox = place?.isWithout ? undefined : hosts && (await openableSandbox(hosts));
  const asked = {
    commands: commandsOf(manifest),
    programs,
    hosts,
    agentHosts: hostsOfAgents(manifest, named),
    logins: loginsOf(found),
  };
  await ensureTrusted(asked, root, options);
  const copies = settings.worktreeCopyOf.get(realRoot) ?? [];
  const git = await gitWorkOf(root, {
    flag,
    branch,
    manifest,
    file: nameInProject,
    signsOff: flags.signsOff,
    copies,
  });
  const chosenState = asChosen({ manifest, order, selection });
  await checkPrograms(chosenState, root);
  if (branch === undefined) {
    showWarnings(await changedFiles({ root, stateDir }, nameInProject, chosenState));
  }
  if (flags.isDetached) return detach({ root, stateDir }, options);
  const commands = new Set(commandsOf(manifest));
  const plan = { text: source.text, manifest, order };
  const isIdle = !hasWork(manifest, order, selection) && leftOpen === undefined;
  const worstCases =
    maxCostUsd === undefined || isIdle
      ? undefined
      : await worstCasesOf({ file, manifest, order }, chosen, {
          root,
          stateDir,
          prices,
          flags,
          fallbackModel,
        });
  if (worstCases && maxCostUsd !== undefined) noteSmallBudget(worstCases, maxCostUsd);
  const chosenBy = { flags, apply, selection, commands, prices, defaults };
  const limits = worstCases && { worstCases: worstCases.streams };
  const kept = [...placeWords(), ...keptFlags(options)];
  return startRun(
    {
      file,
      args: kept,
      unrouted,
      root,
      stateDir,
      manifestFile,
      plan,
      isIdle,
      ...(reviewsInBrowser(options) && { reviewsInBrowser: true }),
      ...(git && { git }),
      ...(sandbox && { sandbox }),
      ...(agents && { agents, mayAsk: mayAsk(options, process.env) }),
      ...chosenBy,
      ...limits,
    },
    options,
  );
}
