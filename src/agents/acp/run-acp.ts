// An agent that speaks the Agent Client Protocol on its standard input and output.
//
//     initialize ──▶ session/new ──▶ session/prompt ──▶ stop reason
//                └▶ session/load ─▲   │  ▲
//                    session/update ◀─┘  └─ session/request_permission, answered by rule
//
// A session is loaded where the agent says that it can. It then reports all that was said before, which is no news.
// No file system and no terminal is offered: it has those of the sandbox.
import { z } from 'zod';
import { createAgentLog } from '../agent-log.ts';
import type { AgentLog } from '../agent-log.ts';
import type { AgentEnd, AgentRun } from '../agent-run.ts';
import { launchAgent } from '../launch.ts';
import { AcpError, connectAcp } from './connection.ts';
import type { AcpConnection } from './connection.ts';
import { acpLaunch } from './launches.ts';
import { PermissionRequest, decidePermission } from './permission.ts';
import { createSessionUpdates } from './session-updates.ts';

const VERSION = 1;
/** An agent that has to load a lot on a busy machine takes its time; one that does not answer at all is ended. */
const ANSWER_MS = 60_000;

const Initialized = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: z
    .looseObject({ loadSession: z.boolean().nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});
const Choice = z.looseObject({ value: z.string() });
const ConfigOption = z.looseObject({
  id: z.string(),
  category: z.string().nullish().catch(undefined),
  currentValue: z.unknown().optional(),
  options: z
    .array(z.union([Choice, z.unknown().transform(() => undefined)]))
    .catch([])
    .default([]),
});
const Loaded = z.looseObject({
  configOptions: z.array(ConfigOption).nullish().catch(undefined),
});
const Session = Loaded.extend({ sessionId: z.string().min(1).max(1000) });
const Prompted = z.looseObject({ stopReason: z.string() });

/** Why a turn ended that did not end by itself. */
const STOPPED: Readonly<Record<string, string>> = {
  max_tokens: 'Its answer reached the length limit of the model.',
  max_turn_requests: 'It made as many model calls as it may in one turn.',
  refusal: 'It refused the task.',
  cancelled: 'It cancelled its turn.',
};

function parse<T>(schema: z.ZodType<T>, value: unknown, method: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AcpError(`Its answer to ${method} is not what the protocol says.`);
}

/** Where the session has a choice of models, that of the stream. */
async function chooseModel(
  connection: AcpConnection,
  { sessionId, configOptions }: z.infer<typeof Session>,
  model: string,
  answerMs: number,
): Promise<void> {
  const option = configOptions?.find(({ category }) => category === 'model');
  const isModel = (value: unknown) =>
    typeof value === 'string' && (value === model || value.endsWith(`/${model}`));
  if (option === undefined || isModel(option.currentValue)) return;
  const choice = option.options.find((each) => isModel(each?.value));
  if (choice === undefined) return;
  const params = { sessionId, configId: option.id, value: choice.value };
  await connection.request('session/set_config_option', params, answerMs);
}

async function openSession(
  connection: AcpConnection,
  {
    place,
    answerMs,
    session: sessionId,
    canLoad,
  }: { place: object; answerMs: number; session: string | undefined; canLoad: boolean },
): Promise<z.infer<typeof Session>> {
  if (sessionId === undefined) {
    const opened = await connection.request('session/new', place, answerMs);
    return parse(Session, opened, 'session/new');
  }
  if (!canLoad) throw new AcpError('It does not load sessions any more.');
  const loaded = await connection.request('session/load', { ...place, sessionId }, answerMs);
  // Some answer with nothing at all.
  return { ...parse(Loaded, loaded ?? {}, 'session/load'), sessionId };
}

async function converse(
  connection: AcpConnection,
  run: AgentRun,
  {
    sessionMeta,
    answerMs,
    log,
    onOpen,
  }: {
    sessionMeta: object | undefined;
    answerMs: number;
    log: AgentLog;
    /** What it reports from now on is news. */
    onOpen(): void;
  },
): Promise<string> {
  const hello = {
    protocolVersion: VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'millrace', title: 'Millrace', version: '1' },
  };
  const initialized = await connection.request('initialize', hello, answerMs);
  const { protocolVersion, agentCapabilities } = parse(Initialized, initialized, 'initialize');
  if (protocolVersion !== VERSION) {
    throw new AcpError(
      `It speaks version ${protocolVersion} of the Agent Client Protocol, and Millrace version ${VERSION}.`,
    );
  }
  const place = { cwd: run.folder, mcpServers: [], ...(sessionMeta && { _meta: sessionMeta }) };
  const canLoad = agentCapabilities?.loadSession === true;
  const session = await openSession(connection, {
    place,
    answerMs,
    session: run.session?.id,
    canLoad,
  });
  onOpen();
  await chooseModel(connection, session, run.model, answerMs);
  const { sessionId } = session;
  if (canLoad) log.session(sessionId);
  const prompt = [{ type: 'text', text: run.text }];
  // The time of the work itself is the caller's.
  const prompted = await connection.request('session/prompt', { sessionId, prompt });
  return parse(Prompted, prompted, 'session/prompt').stopReason;
}

/** `answerMs`: for answers that need no model. */
export async function runAcp(run: AgentRun, answerMs = ANSWER_MS): Promise<AgentEnd> {
  const launch = acpLaunch(run);
  const { process, restore } = await launchAgent(run, launch);
  const log = createAgentLog(run.events);
  const updates = createSessionUpdates(log, run.folder);
  let isOpen = false;
  const connection = connectAcp(process, {
    onNotification(method, params) {
      if (method !== 'session/update' || !isOpen) return;
      updates.receive(z.looseObject({ update: z.unknown() }).safeParse(params).data?.update);
    },
    onRequest(method, params) {
      if (method !== 'session/request_permission') return undefined;
      const request = PermissionRequest.parse(params);
      const call = updates.call(request.toolCall.toolCallId);
      const { outcome, refused } = decidePermission(request, run, call);
      if (refused) log.permissionRefused(refused.subject, refused.why);
      return { outcome };
    },
  });
  try {
    const stopReason = await converse(connection, run, {
      sessionMeta: launch.sessionMeta,
      answerMs,
      log,
      onOpen: () => (isOpen = true),
    });
    const why = STOPPED[stopReason];
    if (why !== undefined) log.failed(why);
  } catch (error) {
    if (!(error instanceof AcpError)) throw error;
    const printed = connection.printed();
    log.failed(printed === undefined ? error.message : `${error.message}\n${printed}`);
  } finally {
    // It waits for the next task; what it still runs is not part of this one.
    process.kill();
    await process.ended;
  }
  await restore();
  return log.end();
}
