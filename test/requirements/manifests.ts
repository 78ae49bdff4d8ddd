import { rules } from './rules.ts';

export const MANIFEST_RULES = [
  ...rules('interface 2.7', 'manifests', {
    'manifest.a.fields': 'Notation A requires name, version, description and streams.',
    'manifest.a.stream': 'A stream of notation A requires description and plan.',
    'manifest.a.context-files': 'context.files are globs, folders or files.',
    'manifest.a.context-depth': 'context.depth is minimal, moderate or comprehensive.',
    'manifest.a.commands': 'commands are {command, critical}.',
    'manifest.a.constraints': 'constraints are maxSteps, timeout and requireTests.',
    'manifest.b.top': 'Notation B has feature, created, status and streams at the top.',
    'manifest.b.name': 'A stream of notation B requires name only.',
    'manifest.b.fields':
      'It may have deps, owns, reads, plan, setup, verify, status, error, attempts, parentStreamId, appliedAt and timeoutMs.',
    'manifest.b.owns': 'owns are files, folders with all their files, or globs.',
    'manifest.waves':
      'Streams without deps are wave 1; others are one above the highest wave of their deps.',
    'manifest.cycles.init': 'Cycles are found and refused when a manifest is initialised.',
    'manifest.cycles.add': 'Cycles are found and refused when a stream is added.',
    'manifest.learn.ownership': 'learn resolves cycles that come from reading owned files.',
    'manifest.learn.explicit': 'learn keeps and reports cycles made of explicit deps.',
    'manifest.owns.planning': 'Two streams never write the same file at the same time.',
    'manifest.reads.many': 'More than 4 reads raise a warning about time-outs.',
    'manifest.timeout.default': 'A stream has 600000 ms unless timeoutMs says otherwise.',
  }),
  ...rules('interface 9', 'manifests', {
    'manifest.a.version': 'The version of a notation A manifest is a semantic version.',
  }),
  ...rules('decisions 11', 'manifests', {
    'manifest.owns.overlap':
      'Of two streams with overlapping owns and no dependency, the later in the file waits; the plan shows it.',
    'manifest.a.one-wave': 'Notation A is one wave; conflicts show when applied.',
    'manifest.optional': 'optional: true marks a stream that may be skipped.',
  }),
  ...rules('decisions 13', 'manifests', {
    'library.manifest': 'millrace/manifest offers parse, validate, plan, learn and edit.',
  }),
];

export const ORCHESTRATOR_RULES = [
  ...rules('interface 2.7', 'orchestrator', {
    'stream.ready': 'A stream runs as soon as all its deps are complete.',
    'stream.commands.root': 'Commands run in the project root with the inherited environment.',
    'stream.commands.critical': 'A failing critical command fails the orchestration.',
    'stream.commands.uncritical': 'Another failing command is logged and the run goes on.',
    'stream.owns.read-first': 'Owned files are read before the stream runs.',
    'stream.owns.conflicts': 'owns serve to detect conflicts.',
    'stream.setup.sequential': 'setup commands run one after another in the project root.',
    'stream.verify.all': 'All verify commands run after the artifact, and results are collected.',
    'stream.fix.name': 'A fix stream carries parentStreamId and is named parent, -fix-, number.',
    'stream.applied.skipped': 'A stream with appliedAt is skipped when run again.',
  }),
  ...rules('interface 3.3', 'orchestrator', {
    'stream.status.values':
      'A stream is pending, in_progress, complete, failed, skipped or blocked.',
    'stream.start': 'Starting sets in_progress and counts an attempt.',
    'stream.blocked': 'A stream whose dependency failed is blocked.',
    'stream.verify.failed': 'A failed critical verification fails the stream and sets error.',
    'stream.applied': 'Applying the artifact completes the stream and sets appliedAt.',
    'stream.setup.aborts': 'A failing setup command aborts the stream.',
    'stream.fix.attempts': 'Fix streams come while attempts are below 3, a setting.',
    'stream.fix.retryable': 'Errors that a retry cannot mend get no fix stream.',
  }),
  ...rules('decisions 11', 'orchestrator', {
    'stream.setup.failed': 'A failed setup fails the stream, applies nothing, blocks dependents.',
    'stream.skip.optional': 'An optional stream is skipped when a dependency failed.',
    'stream.skip.user':
      'A user may skip any stream that is not complete, and it counts as satisfied.',
    'stream.unblocked': 'blocked returns to pending when the dependency becomes complete.',
    'stream.fix.root': 'Fix streams always name the root, and their completion completes it.',
    'stream.fix.rollback': 'Files are rolled back before a fix is tried.',
    'stream.no-barrier': 'Waves only number streams; nothing waits for a whole wave.',
    'stream.state.yaml': 'State is written into the YAML atomically, with comments and order kept.',
  }),
];

export const CLIENT_RULES = [
  ...rules('interface 4.4', 'client', {
    'client.construct': 'The executor takes an address, a key and an optional configuration.',
    'client.execute.request':
      'execute takes prompt, model, maxTokens, streamId, timeoutMs? and structuredPrompt?.',
    'client.execute.result':
      'execute gives success, rawResponse, artifact?, tokensUsed and error?.',
    'client.structured-prompt':
      'structuredPrompt has systemContent, projectContext, streamContext, taskContent, fullPrompt and cachingHints.',
    'client.flow': 'It submits, then polls until the job has ended.',
    'client.artifact': 'It uses the artifact of the server, else extracts one from the text.',
    'client.defaults':
      'Defaults are poll 1000 to 10000 ms, timeout 660000, 5 retries from 1000 to 30000 ms, jitter 0.1.',
    'client.retry.429': 'A 429 honours Retry-After and slows polling.',
    'client.retry.5xx': '500, 502, 503 and 504 back off exponentially with jitter.',
    'client.retry.none': '400, 401, 403 and 404 fail at once.',
    'client.backoff': 'The delay is min(base * 2^attempt, max), give or take the jitter.',
    'client.timeout':
      'A time-out cancels the job, reads the tokens and reports "Cloud execution timed out after <ms>ms (job cancelled)".',
  }),
  ...rules('decisions 13', 'client', {
    'library.client':
      'millrace/client offers CloudExecutor, a typed client and verifyWebhook; execute takes a signal.',
  }),
];

export const TOOL_RULES = [
  ...rules('interface 3.2', 'tools', {
    'tools.status.values': 'A tool reports success, failed or cancelled.',
  }),
  ...rules('interface 4.3', 'tools', {
    'tools.execute': 'The execute tool takes task, files?, dryRun? and maxSteps? (10).',
    'tools.execute.result': 'It gives status, result, steps and metrics.',
    'tools.status': 'The status tool gives status, progress, currentStep and elapsed.',
    'tools.cancel': 'The cancel tool gives cancelled and finalState.',
  }),
  ...rules('decisions 1', 'tools', {
    'tools.names':
      'The tools are millrace_execute, _status and _cancel, and millrace_approvals and millrace_answer.',
  }),
];
