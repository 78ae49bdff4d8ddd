import { rules } from './rules.ts';

export const JOB_RULES = [
  ...rules('interface 2.1', 'jobs', {
    'job.status.values': 'A job is pending, running, completed or failed, and nothing else.',
    'job.fields.waiting': 'While a job is pending or running its answer is exactly {status}.',
    'job.fields.output': 'A completed job carries the raw text of the model as output.',
    'job.fields.artifact':
      'A completed job carries an artifact when the server found one in the text, else no artifact field.',
    'job.fields.tokens': 'A completed job carries tokensUsed with numeric input and output.',
    'job.fields.error': 'A failed job carries error, a readable string that names the cause.',
  }),
  ...rules('interface 3.1', 'jobs', {
    'job.state.pending': 'pending means queued and not started.',
    'job.state.running': 'running means that the model works on the prompt.',
    'job.cancel.stops-spending': 'Cancelling a running job stops it from using further tokens.',
  }),
  ...rules('interface 4.1', 'jobs', {
    'job.execute.route': 'POST /api/v1/execute starts a job and answers with its jobId.',
    'job.execute.stream-id': 'streamId is a required string.',
    'job.execute.prompt': 'prompt is a required string and reaches the model unchanged.',
    'job.execute.model': 'model is a required string.',
    'job.execute.max-tokens': 'maxTokens is a required number that caps the output.',
    'job.execute.timeout': 'timeoutMs is optional and is 660000 when left out.',
    'job.get.route': 'GET /api/v1/job/:id answers for the jobId that execute gave.',
    'job.get.completed': 'The completed answer is {status, output, artifact, tokensUsed}.',
    'job.get.failed': 'The failed answer carries status and error.',
    'job.cancel.route': 'POST /api/v1/job/:id/cancel needs no body and answers {cancelled}.',
  }),
  ...rules('interface 7', 'jobs', {
    'job.failed.cause': 'A failed job names its cause in its own error field, e.g. a rate limit.',
  }),
  ...rules('interface 8', 'jobs', {
    'job.timeout.server': 'Processing of one job is cut after ten minutes whatever was asked.',
  }),
  ...rules('decisions 16', 'jobs', {
    'job.turns.calls': 'A completed job with tools lists the calls of the model in its full view.',
    'job.turns.continue':
      'assistantMessage of a turn, with an answer to each call, makes the messages of the next turn.',
    'job.turns.order': 'Messages in an order that no provider takes are refused with 400.',
    'job.turns.opaque':
      'What a provider signed goes back to it unchanged, and to no other provider or model.',
  }),
  ...rules('decisions 2', 'jobs', {
    'job.execute.accepted': 'execute answers 202 with a Location header that leads to the job.',
    'job.execute.idempotent':
      'Two executes with the same Idempotency-Key and body make one job, also when both arrive at once.',
    'job.execute.prompt-size': 'A prompt above 4 MiB of UTF-8 is refused.',
    'job.execute.max-tokens-range': 'maxTokens is an integer from 1 to 200000, else 400.',
    'job.execute.timeout-range': 'timeoutMs lies between 1000 and 3600000, else 400.',
    'job.execute.stream-id-shape':
      'streamId starts with a letter or digit and has at most 128 letters, digits, dots, underscores, colons or hyphens.',
  }),
  ...rules('decisions 3', 'jobs', {
    'job.transition.forward': 'pending goes to running, and running to completed or failed.',
    'job.transition.pending-failed': 'A pending job can fail without running: cancel or deadline.',
    'job.transition.requeue':
      'Only the death of its worker returns a running job to pending, with one attempt more.',
    'job.attempts.max': 'A job is attempted at most three times.',
    'job.terminal.frozen': 'A completed or failed job never changes again.',
    'job.cancel.state':
      'A cancelled job is failed with the error "Job cancelled" and has tokensUsed.',
    'job.cancel.before-reply': 'The job is terminal before the reply to the cancel is sent.',
    'job.cancel.closes-upstream': 'Cancel closes the connection to the model at once.',
    'job.cancel.late-answer':
      'An answer that arrives after the cancel is dropped, but its tokens are counted.',
    'job.cancel.ended': 'Cancelling a job that ended by itself answers 200 {cancelled: false}.',
    'job.cancel.again': 'Cancelling a cancelled job answers {cancelled: true} again.',
    'job.cancel.unknown': 'Cancelling a job that does not exist is 404.',
    'job.failed.tokens': 'Failed jobs have tokensUsed too, zeros when no call was made.',
    'job.aborted.tokens': 'After an abort the output count comes from the text streamed so far.',
    'job.view.full':
      'view=full adds jobId, streamId, runId, model, provider, attempt, queuedAt, startedAt, endedAt, costUsd, cachedInputTokens and errorCode.',
    'job.tokens.all-attempts':
      'Tokens and cost of a job are the sum of all its attempts, also in its run.',
    'job.tokens.lost-calls':
      'Calls that were lost with a worker are estimated, and usageEstimated marks it.',
    'job.partial-output':
      'A failed or cancelled job keeps the text that had come as partialOutput in view=full.',
    'job.wait': 'wait=N (0 to 60 seconds) answers as soon as the job ends.',
    'job.wait.range': 'wait outside 0 to 60 is 400.',
    'job.events.stream': 'GET /api/v1/job/:id/events sends status, text and done as SSE.',
    'job.events.resume': 'An SSE reader that sends Last-Event-ID goes on where it stopped.',
    'job.events.replay': 'A late SSE reader gets everything from the start while the job is kept.',
    'job.execute.grouping':
      'execute also takes runId, feature, streamName and waveNumber to group jobs into a run.',
    'job.execute.provider': 'execute also takes provider.',
    'job.execute.temperature': 'execute also takes temperature.',
    'job.execute.reasoning': 'execute also takes reasoning: low, medium or high.',
    'job.tier': 'execute also takes serviceTier: flex or standard.',
    'job.tier.refused': 'A tier that the model or its provider does not have is 400 NOT_SUPPORTED.',
    'job.tier.price':
      'An answer has the price of the tier that it reports, and the standard price when it reports none.',
    'job.tier.no-room':
      'A flex call that is turned away is made again while there is time, then at the standard tier.',
    'job.tier.slow':
      "A flex call is ended when a third of the job's time is left, and made at the standard tier.",
    'job.tier.dropped': 'A flex call whose connection broke is retried like any other.',
    'job.tier.pause': 'Flex calls that are turned away hold back flex calls of that model alone.',
    'job.tier.unpriced': 'Under a budget a flex job is refused when the price of flex is unknown.',
    'job.execute.structured-prompt': 'execute also takes structuredPrompt as the client sends it.',
    'job.execute.structured-prompt-mismatch':
      'When the parts do not add up to prompt, prompt wins and the hints are dropped.',
    'job.execute.priority': 'execute also takes priority, an integer from -10 to 10.',
    'job.list':
      'GET /api/v1/jobs lists the jobs of the team, newest first, in pages that follow a cursor.',
    'job.request': 'GET /api/v1/job/:id/request answers with the prompt and options of the job.',
    'job.execute.unknown-model':
      'A model whose provider cannot be told is 400 with the detail code UNKNOWN_MODEL.',
    'job.provider-key.none': 'No key at all is 400 with the detail code NO_PROVIDER_KEY.',
    'job.provider-error.permanent':
      'When the provider refuses the key or the request, the job fails at once.',
    'job.provider-error.transient':
      'Rate limits, server errors, disconnects and time-outs are retried within the deadline.',
    'job.provider-error.retry-after': 'A wait asked for by the provider is honoured.',
  }),
  ...rules('decisions 3', 'provider-keys', {
    'job.provider-key.header': 'X-Provider-Key carries a key for this one request.',
    'job.provider-key.sealed':
      'That key is sealed with AES-256-GCM while the job waits and erased when it ends.',
    'job.provider-key.order': 'The header wins over the stored key, that over the operator key.',
  }),
  ...rules('decisions 3', 'providers', {
    'job.provider-error.shared-slowdown':
      'A 429 of one key slows down every job of that key instead of failing them.',
  }),
  ...rules('interface 4.1', 'provider-keys', {
    'job.provider-key.stored': 'A job uses the key stored for the provider of its model.',
    'job.provider-key.discarded': 'The key is used for the request and discarded afterwards.',
  }),
];
